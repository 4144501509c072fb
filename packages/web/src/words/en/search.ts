// The search over all sessions.

import { plural } from "../format.ts";

export const english = {
  title: "Search",
  label: "Search all sessions",
  placeholder: "Words in prompts, answers, commands and files",
  retry: "Try again",
  more: "Show more",
  narrow: "There may be more. Add a word or a filter to narrow the search.",
  failed: "The search failed.",
  busy: "Searching…",
  type: "Type a letter or a number.",
  found: (count: number, isAll: boolean, sessions: number) =>
    `${count}${isAll ? "" : "+"} ${count === 1 ? "match" : "matches"} in ${plural(sessions, "session")}`,
  session: "Session",
  hint: "Finds rows that contain every word, or words that begin with it. The newest come first.",
  keys: "{slash} goes to the words, {down} to the matches, {enter} opens one.",
  nothing: (words: string) => `Nothing matches “${words}”.`,
  nothingFiltered: (words: string) => `Nothing matches “${words}” with these filters.`,
  frequent: "The words are so frequent that older rows were not looked at. Add a word.",
  clear: "Clear filters",
  kinds: "Kinds",
  project: "Project",
  allProjects: "All projects",
  time: "Time",
  times: {
    "": "Any time",
    "1d": "Last day",
    "7d": "Last 7 days",
    "30d": "Last 30 days",
    "365d": "Last year",
  },
  since: (day: string) => `Since ${day}`,
  many: {
    prompt: "Prompts",
    answer: "Answers",
    command: "Commands",
    file: "Files",
    tool: "Other tools",
    thinking: "Thinking",
    other: "Notes",
  },
  one: {
    prompt: "Prompt",
    answer: "Answer",
    command: "Command",
    file: "File",
    tool: "Tool",
    thinking: "Thinking",
    other: "Note",
  },
};
