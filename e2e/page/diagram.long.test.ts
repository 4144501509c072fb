// A diagram is drawn whole, whatever the person asked of motion.

import { expect, it } from "vitest";
import { send, useDeck } from "./journey.ts";
import { SCENARIO } from "./scenario.ts";

const aboard = useDeck({ scenario: SCENARIO });

it("[E75] has the same size with little motion as with all of it", async () => {
  const { deck, page } = aboard;
  // Mermaid's own filter asks for a policy of its name, is refused it, and does without.
  deck.expectTrouble(/dompurify|trusted-types/u);
  await deck.atSession(page);
  await send(page, "draw the way");
  const size = async (): Promise<string> => {
    const image = page.locator(".diagram img");
    await image.waitFor();
    return image.evaluate(async (element) => {
      const picture = element as HTMLImageElement;
      await picture.decode();
      return `${picture.naturalWidth} ${picture.naturalHeight}`;
    });
  };
  const little = await size();
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await page.reload();
  expect(little).toBe(await size());
});
