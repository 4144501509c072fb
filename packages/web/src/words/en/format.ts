// Times. So short that each language is part of the first load.

export const english = {
  now: "now",
  justNow: "just now",
  ago: (age: string) => `${age} ago`,
  on: (day: string) => `on ${day}`,
  s: "s",
  m: "m",
  h: "h",
};
