/** A user's mistake, or something that is missing on their machine: one line, without a stack. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** A mistake in the arguments or settings. The command also names the help, and exits with 2. */
export class UsageError extends UserError {}
