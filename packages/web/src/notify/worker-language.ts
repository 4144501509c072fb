// The service worker cannot see which language the page speaks, so the page leaves it the name in a cache of its own.

const PLACE = "quarterdeck-language";
const FILE = "/language";

export const tellLanguage = async (language: string): Promise<void> => {
  await (await caches.open(PLACE)).put(FILE, new Response(language));
};

export const toldLanguage = async (): Promise<string> => {
  const told = await caches.match(FILE, { cacheName: PLACE });
  return (await told?.text()) ?? "en";
};

export const isLanguageCache = (name: string): boolean => name === PLACE;
