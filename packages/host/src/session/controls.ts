// Every control request of the protocol as a method, named as the wire names it: `session.control.set_model({ model })`.

import { CONTROL } from "@quarterdeck/protocol";
import type { HostSubtype, RequestOf, ResponseOf } from "@quarterdeck/protocol";
import type { RequestOptions } from "./pending-requests.ts";

type FieldsOf<S extends HostSubtype> = Omit<RequestOf<S>, "subtype">;
type Control<S extends HostSubtype> =
  Partial<FieldsOf<S>> extends FieldsOf<S>
    ? (fields?: FieldsOf<S>, options?: RequestOptions) => Promise<ResponseOf<S>>
    : (fields: FieldsOf<S>, options?: RequestOptions) => Promise<ResponseOf<S>>;

export type Controls = { readonly [S in HostSubtype]: Control<S> };

type Request = <S extends HostSubtype>(request: RequestOf<S>, options?: RequestOptions) => Promise<ResponseOf<S>>;

export const controlsOver = (request: Request): Controls => {
  const names = Object.keys(CONTROL).filter(
    (subtype): subtype is HostSubtype => CONTROL[subtype as keyof typeof CONTROL].from !== "cli",
  );
  const methods = names.map((subtype) => [
    subtype,
    (fields: object = {}, options: RequestOptions = {}) => request({ ...fields, subtype } as never, options),
  ]);
  return Object.fromEntries(methods) as Controls;
};
