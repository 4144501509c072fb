// Permission modes. The English texts are those that every surface shares.

import { MODES, type Mode, type ModeFacts } from "@quarterdeck/permissions/words";

export const english: Readonly<Record<Mode, Pick<ModeFacts, "name" | "about" | "allows" | "asks">>> = MODES;
