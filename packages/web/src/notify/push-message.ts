// What the server pushes. Encrypted on its way, and still checked: a message that is not one of these shows only that something happened.

export interface PushedRequest {
  readonly id: string;
  readonly incarnation: number;
  readonly inputHash: string;
}
type Shown = PushMessage & { readonly do: "show" };
export type PushMessage =
  | {
      readonly do: "show";
      readonly tag: string;
      readonly event: string;
      readonly session: string;
      /** The machine of the fleet that has the session, if it is another one. */
      readonly machine?: string;
      readonly title: string;
      readonly body: string;
      readonly at: number;
      readonly request?: PushedRequest;
    }
  | { readonly do: "withdraw"; readonly tag: string; readonly mustShow: boolean }
  | { readonly do: "revoke" };

export const readPush = (text: string): PushMessage | undefined => {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(text) as Record<string, unknown>;
  } catch {
    // Not a message of ours.
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { do: what, tag, event, session, machine, title, body, at, request, mustShow } = value;
  if (what === "revoke") return { do: "revoke" };
  if (typeof tag !== "string") return undefined;
  if (what === "withdraw") return { do: "withdraw", tag, mustShow: mustShow === true };
  if (what !== "show" || ![event, session, title, body].every((one) => typeof one === "string")) return undefined;
  const known = requestOf(request);
  return {
    do: "show",
    tag,
    event: event as string,
    session: session as string,
    ...(isMachine(machine) && { machine }),
    title: title as string,
    body: body as string,
    at: typeof at === "number" ? at : 0,
    ...(known !== undefined && { request: known }),
  };
};

const requestOf = (value: unknown): PushedRequest | undefined => {
  if (typeof value !== "object" || value === null) return undefined;
  const { id, incarnation, inputHash } = value as Record<string, unknown>;
  return typeof id === "string" && typeof incarnation === "number" && typeof inputHash === "string"
    ? { id, incarnation, inputHash }
    : undefined;
};

/** The name becomes a part of addresses. */
const isMachine = (value: unknown): value is string => typeof value === "string" && /^[a-z0-9-]{1,32}$/u.test(value);

/** Where a tap leads. */
export const hrefOfPush = ({ session, machine }: Pick<Shown, "session" | "machine">): string => {
  const at = machine === undefined ? "/#/" : `/#/m/${machine}/`;
  return session === "" ? at : `${at}s/${encodeURIComponent(session)}`;
};
