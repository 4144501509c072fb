import type { english } from "../en/format.ts";

export const chinese: typeof english = {
  now: "刚刚",
  justNow: "刚刚",
  ago: (age) => `${age}前`,
  on: (day) => day,
  s: "秒",
  m: "分钟",
  h: "小时",
};
