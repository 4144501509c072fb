import type { TabProps } from "../tab.ts";
export const Changes = ({ view }: TabProps) => <p className="bench-empty">{view.id}</p>;
