import type { english } from "../en/replay.ts";
import type { Translation } from "../translation.ts";

export const chinese: Translation<typeof english> = {
  replay: "回放",
  title: (session) => `回放：${session}`,
  session: "会话",
  back: "返回会话",
  failed: "无法回放此会话",
  again: "重试",
  loading: "正在加载回放",
  nothing: "此会话还没有可回放的内容。",
  messages: "消息",
  timeLine: "时间线",
  previousPrompt: "上一条提示",
  toPrevious: "‹ 提示",
  pause: "暂停",
  play: "播放",
  nextPrompt: "下一条提示",
  toNext: "提示 ›",
  nextTool: "下一次工具调用",
  toTool: "工具 ›",
  time: "时间",
  speed: "速度",
  space: "空格",
  at: (step, steps, time) => `${step} / ${steps} · ${time}`,
};
