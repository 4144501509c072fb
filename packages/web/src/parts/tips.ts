// Tooltips for everything with `data-tip`: one layer for the whole page, shown on hover and keyboard focus, never on
// touch. The same text is also available as a name or a description.

import "./tips.css";

const REST_MS = 450;

export const watchTips = (): void => {
  const layer = document.createElement("div");
  layer.className = "tip";
  layer.popover = "manual";
  layer.setAttribute("aria-hidden", "true");
  document.body.append(layer);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let shownFor: Element | undefined;

  const hide = (): void => {
    clearTimeout(timer);
    shownFor = undefined;
    if (layer.matches(":popover-open")) layer.hidePopover();
  };
  const show = (target: Element): void => {
    const text = target.getAttribute("data-tip");
    if (text === null || text === "" || !target.isConnected) return;
    layer.textContent = text;
    layer.showPopover();
    const at = target.getBoundingClientRect();
    const above = at.top - layer.offsetHeight - 6;
    const left = at.left + at.width / 2 - layer.offsetWidth / 2;
    layer.style.top = `${above > 4 ? above : at.bottom + 6}px`;
    layer.style.left = `${Math.max(6, Math.min(left, innerWidth - layer.offsetWidth - 6))}px`;
  };
  const aim = (event: Event, delay: number): void => {
    const target = event.target instanceof Element ? event.target.closest("[data-tip]") : null;
    if (target === (shownFor ?? null)) return;
    hide();
    if (target === null) return;
    shownFor = target;
    timer = setTimeout(() => show(target), delay);
  };

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "mouse") aim(event, REST_MS);
  });
  document.addEventListener("focusin", (event) => {
    if (event.target instanceof Element && event.target.matches(":focus-visible")) aim(event, REST_MS);
    else hide();
  });
  for (const kind of ["pointerdown", "keydown", "scroll", "focusout"] as const)
    document.addEventListener(kind, hide, { capture: true, passive: true });
};
