// The visible height. On some systems a phone's keyboard covers the page without making it smaller.

export const watchHeight = (): void => {
  const { visualViewport } = window;
  if (visualViewport === null) return;
  const measure = (): void => {
    // If the person zoomed in, the smaller height is intended.
    if (visualViewport.scale > 1.01) return;
    document.documentElement.style.setProperty("--seen-height", `${visualViewport.height}px`);
    scrollTo(0, 0);
  };
  visualViewport.addEventListener("resize", measure);
  measure();
};
