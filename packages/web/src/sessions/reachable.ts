// Whether another device can open an address of this server. Pure.

const LOOPBACK =
  /^(?:localhost|.*\.localhost|127(?:\.\d{1,3}){3}|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]|0\.0\.0\.0|\[::\])$/u;

/** False for addresses of the machine itself, and for an invalid address. */
export const isReachable = (link: string): boolean => {
  try {
    return !LOOPBACK.test(new URL(link).hostname.toLowerCase());
  } catch {
    return false;
  }
};
