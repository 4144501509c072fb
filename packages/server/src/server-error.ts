/** A mistake in the settings, or something missing on this machine. The command prints the message without a stack. */
export class ServerError extends Error {
  override readonly name = "ServerError";
}
