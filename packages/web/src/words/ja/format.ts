import type { english } from "../en/format.ts";

export const japanese: typeof english = {
  now: "今",
  justNow: "たった今",
  ago: (age) => `${age}前`,
  on: (day) => day,
  s: "秒",
  m: "分",
  h: "時間",
};
