/** A name for this browser that its owner recognizes in a list. */
export const deviceName = (userAgent: string): string => {
  const browser = /Edg\//u.test(userAgent)
    ? "Edge"
    : /Firefox\/|FxiOS/u.test(userAgent)
      ? "Firefox"
      : /Chrome\/|CriOS/u.test(userAgent)
        ? "Chrome"
        : /Safari\//u.test(userAgent)
          ? "Safari"
          : "Browser";
  const machine = /iPhone/u.test(userAgent)
    ? "iPhone"
    : /iPad/u.test(userAgent)
      ? "iPad"
      : /Android/u.test(userAgent)
        ? (/Android [\d.]+; ([^;)]+?)(?: Build|\))/u.exec(userAgent)?.[1] ?? "Android")
        : /Mac OS X/u.test(userAgent)
          ? "Mac"
          : /Windows/u.test(userAgent)
            ? "Windows"
            : /Linux/u.test(userAgent)
              ? "Linux"
              : "this device";
  return `${browser} on ${machine === "K" ? "Android" : machine}`;
};
