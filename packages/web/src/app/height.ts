// The height that is really seen: a phone's keyboard covers the page without making it smaller on some systems.

export const watchHeight = (): void => {
  const { visualViewport } = window;
  if (visualViewport === null) return;
  const measure = (): void => {
    // Zoomed in, a smaller part is seen on purpose.
    if (visualViewport.scale > 1.01) return;
    document.documentElement.style.setProperty("--seen-height", `${visualViewport.height}px`);
    scrollTo(0, 0);
  };
  visualViewport.addEventListener("resize", measure);
  measure();
};
