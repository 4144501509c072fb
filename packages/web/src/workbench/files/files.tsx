import type { TabProps } from "../tab.ts";
export const Files = ({ view }: TabProps) => <p className="bench-empty">{view.id}</p>;
