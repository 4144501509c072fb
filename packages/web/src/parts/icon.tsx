// A few icons, drawn here: a font or a package would be larger. They never appear without a word or a label.

const PATHS = {
  helm: "M12 5.8a6.2 6.2 0 1 0 0 12.4 6.2 6.2 0 0 0 0-12.4ZM12 10.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6ZM12 1.5v6M12 16.5v6M1.5 12h6M16.5 12h6M4.6 4.6l4.2 4.2M15.2 15.2l4.2 4.2M19.4 4.6l-4.2 4.2M8.8 15.2l-4.2 4.2",
  danger: "M12 4.5L3.5 19h17ZM12 10.5v4M12 16.8v.01",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  plus: "M12 5v14M5 12h14",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM15.5 15.5L20 20",
  folder: "M3.5 7.5a2 2 0 0 1 2-2h4l2 2.5h7a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2Z",
  file: "M7 3.5h7l4 4v12a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1v-15a1 1 0 0 1 1-1ZM14 3.5v4h4",
  clip: "M19 11.5l-7.4 7.2a4.3 4.3 0 0 1-6-6.2l8-7.8a2.9 2.9 0 0 1 4 4.2l-7.9 7.6a1.4 1.4 0 0 1-2-2l7-6.8",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7.5 7.5h9v9h-9Z",
  down: "M7 10l5 5 5-5",
  right: "M10 7l5 5-5 5",
  up: "M7 14l5-5 5 5",
  left: "M14 7l-5 5 5 5",
  expand: "M14 4.5h5.5V10M19.5 4.5l-6 6M10 19.5H4.5V14M4.5 19.5l6-6",
  shrink: "M19 10.5h-5.5V5M13.5 10.5l6-6M5 13.5h5.5V19M10.5 13.5l-6 6",
  undo: "M8 5L4 9l4 4M4 9h10a5.5 5.5 0 0 1 0 11h-3",
  out: "M13 5h6v6M19 5l-8 8M10 6H6a1 1 0 0 0-1 1v11a1 1 0 0 0 1 1h11a1 1 0 0 0 1-1v-4",
  note: "M4.5 5.5h15v10h-8l-4 3.5v-3.5h-3Z",
  check: "M5 12.5l4.5 4.5L19 7.5",
  fork: "M7 4v7a4 4 0 0 0 4 4h6M14 11l4 4-4 4M7 11v9",
  side: "M4 5.5h16v13H4ZM15 5.5v13",
  board: "M4 5h16v14H4ZM9.5 5v14M14.5 5v9",
  pin: "M9 4h6l-1 6 3 3.5H7L10 10ZM12 13.5V20",
  server: "M4 5h16v6H4ZM4 13h16v6H4ZM7.5 8h.01M7.5 16h.01",
  device: "M8 3.5h8a1 1 0 0 1 1 1v15a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1v-15a1 1 0 0 1 1-1ZM11 17.5h2",
  shield: "M12 3.5l7 2.6v5.4c0 4.2-2.9 7.4-7 9-4.1-1.6-7-4.8-7-9V6.1Z",
  trash: "M5 7h14M9.5 7V4.5h5V7M7 7l.8 12.5h8.4L17 7",
  gear: "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.2 2.2M16.2 16.2l2.2 2.2M18.4 5.6l-2.2 2.2M7.8 16.2l-2.2 2.2",
  terminal: "M4 6.5l5 5-5 5M12 17h8",
  bell: "M6.5 16.5V11a5.5 5.5 0 0 1 11 0v5.5l1.5 1.5H5ZM10 20.5h4",
  warn: "M12 4.5L21 19.5H3ZM12 10v4.5M12 17h.01",
  lock: "M6.5 11h11v8.5h-11ZM9 11V8a3 3 0 0 1 6 0v3",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.3 1.3M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.3-1.3",
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={name === "more" ? 3 : 1.8}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d={PATHS[name]} />
  </svg>
);
