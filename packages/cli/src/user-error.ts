/** A person's mistake, or something that is missing on their machine: said in one line, without a stack. */
export class UserError extends Error {
  override readonly name = "UserError";
}
