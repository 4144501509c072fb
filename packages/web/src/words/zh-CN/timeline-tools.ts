import type { english } from "../en/timeline-tools.ts";
import type { Translation } from "../translation.ts";

export const chinese: Translation<typeof english> = {
  question: "问题",
  openFile: "打开文件",
  goTo: (tool) => `${tool} 等待处理：转到请求`,
  reason: (reason) => `原因：${reason}`,
  said: (device, reason) => `${device ?? "您"}的说明：${reason}`,
  error: "错误",
  states: {
    writing: "正在撰写",
    asking: "等待处理",
    running: "正在运行",
    failed: "失败",
    denied: "已拒绝",
    interrupted: "已停止",
    unfinished: "没有结果",
  },
  edited: "运行前经过编辑",
  answers: {
    AskUserQuestion: { allow: "已回答", deny: "已忽略" },
    ExitPlanMode: { allow: "已批准", deny: "选择继续计划" },
  },
  allowed: "已允许",
  on: (answer, device) => `在 ${device} 上${answer}`,
  you: (answer) => `您${answer}`,
  youAllowed: "您已允许",
  youDenied: "您已拒绝",
  decided: ({ isAllowed, decider, policy, rule, mode, isAnswered }) => {
    const done = isAllowed ? "允许" : "拒绝";
    switch (decider) {
      case "policy":
        return `按您的策略${done}：${policy ?? "未知"}`;
      case "rule":
        return rule === undefined ? `按规则${done}` : `按规则 ${rule} ${done}`;
      case "mode":
        return mode === undefined ? `按权限模式${done}` : `按模式“${mode}”${done}`;
      case "read-only":
        return "只读取，因此未询问";
      case "hook":
        return `由钩子${done}`;
      case "classifier":
        return `由自动模式${done}`;
      default:
        return isAnswered ? `已${done}` : `未询问即${done}`;
    }
  },
  inBackground: "在后台",
  exit: (code) => `退出码 ${code}`,
  claim: "Claude 的说明：",
  output: "输出",
  timedOut: (seconds) => `${seconds} 秒后超时。`,
  timesOut: (seconds) => `将在 ${seconds} 秒后超时。`,
  saved: (size) => `完整输出${size === undefined ? "" : `（${size}）`}保存在 {path}。此处为开头部分。`,
  copyPath: "复制路径",
  runs: "正在后台运行",
  background: (status) => `在后台：${status}`,
  ended: "已结束",
  statuses: {
    cancelled: "已取消",
    completed: "已完成",
    ended: "已结束",
    failed: "失败",
    in_progress: "进行中",
    killed: "已终止",
    pending: "待处理",
    running: "正在运行",
    stopped: "已停止",
  },
  showOutput: "显示输出",
  endOf: (size) => `${size} 输出的末尾。`,
  noOutputYet: "尚无输出",
  calls: (calls) => `${calls} 次工具调用`,
  of: (description) => `${description ?? "代理"} 的对话`,
  report: "报告",
  replaceAll: "全部替换",
  changed: "经您修改",
  notApplied: "未应用",
  requested: "请求的编辑（行号为相对行号）",
  newFile: "新文件",
  pages: (pages) => ` 第 ${pages} 页`,
  fromLine: (line) => ` 从第 ${line} 行起`,
  lines: (from, to) => ` 第 ${from} 至 ${to} 行`,
  read: (lines, all) => (all === undefined ? `${lines} 行` : `${lines} / ${all} 行`),
  image: "图片",
  cells: (cells) => `${cells} 个单元格`,
  pageCount: (pages) => `${pages} 页`,
  empty: "文件为空。",
  asImages: (pages, first) =>
    `${pages} 页${first === undefined ? "" : `（从第 ${first} 页起）`}，以图片形式保存在 {folder}`,
  pdf: (size) => `PDF${size === undefined ? "" : `，${size}`}。`,
  open: "打开",
  download: "下载",
  files: (files, isCut) => (files === 0 ? "没有文件" : `${files} 个文件${isCut ? "，已截断" : ""}`),
  matches: (matches, isCut) => (matches === 0 ? "没有匹配项" : `${matches} 处匹配${isCut ? "，已截断" : ""}`),
  in: " 位于 ",
  inType: (type) => ` 在 ${type} 文件中`,
  ignoreCase: "（忽略大小写）",
  tasks: { completed: "已完成", in_progress: "进行中", pending: "待办", deleted: "已删除" },
  doneOf: (done, all) => `${done} / ${all}`,
  taskList: "任务列表",
};
