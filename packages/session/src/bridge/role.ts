// The roles of devices, from the least to the most.

/** What a device may do; each role may do all that the ones before it may. */
export const ROLES = ["view", "answer", "operate", "admin"] as const;
export type Role = (typeof ROLES)[number];
export const includesRole = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);
