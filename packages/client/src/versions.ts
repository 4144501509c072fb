// A third entry point for pages: what versions of the CLI lack. Apart from the others, because only a help page needs it.

export { flagsLackingIn, isOlder } from "@quarterdeck/protocol/lacking";
