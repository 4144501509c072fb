// The time line of an exported page: its script, its controls and its style. The script is fixed text. What it shows comes
// from attributes with numbers, so nothing that a session contains can reach it.

export const PLAYER_STYLE = `#player{position:fixed;inset:auto 0 0 0;display:flex;flex-wrap:wrap;gap:.25rem .5rem;align-items:center;justify-content:center;padding:.5rem 1rem;background:var(--tool);border-top:1px solid var(--line);font-size:.875rem}
#player[hidden],[data-t][hidden]{display:none}#player button,#player select{font:inherit;min-width:2.5rem;min-height:2.25rem;padding:0 .6rem;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:6px;cursor:pointer}
#player input{flex:1 1 12rem;max-width:32rem;accent-color:var(--you)}#player output{font-variant-numeric:tabular-nums;min-width:9rem;color:var(--dim)}#player :focus-visible{outline:2px solid var(--you);outline-offset:2px}
[data-t]{scroll-margin-bottom:6rem}article.now>h2{text-decoration:underline}
@media print{#player{display:none}[data-t][hidden]{display:revert}}`;

/** Hidden until the script runs: without it the page is a text to read. */
export const PLAYER = `<div id="player" role="group" aria-label="Replay" hidden>
<button type="button" id="back" title="Previous prompt (Shift+Left)" aria-label="Previous prompt">‹ Prompt</button>
<button type="button" id="play" title="Play or pause (Space)" aria-label="Play">Play</button>
<button type="button" id="next" title="Next prompt (Shift+Right)" aria-label="Next prompt">Prompt ›</button>
<button type="button" id="tool" title="Next tool call (T)" aria-label="Next tool call">Tool ›</button>
<input type="range" id="seek" min="0" step="1" aria-label="Time">
<output id="time" for="seek"></output>
<select id="speed" aria-label="Speed"><option value="1">1×</option><option value="2">2×</option><option value="4">4×</option><option value="8">8×</option><option value="16">16×</option></select>
</div>
`;

export const PLAYER_SCRIPT = `(() => {
  "use strict";
  const items = [...document.querySelectorAll("[data-t]")]
    .map((element) => ({ element, t: Number(element.dataset.t), at: Number(element.dataset.at), kind: element.dataset.k }))
    .sort((a, b) => a.t - b.t);
  if (items.length === 0) return;
  const by = (id) => document.getElementById(id);
  const [player, play, seek, time, speed] = ["player", "play", "seek", "time", "speed"].map(by);
  const end = items.at(-1).t;
  let now = end, shown = items.length, frame = 0, before = 0;
  seek.max = String(end);
  const show = (t, follows) => {
    now = Math.min(end, Math.max(0, t));
    while (shown < items.length && items[shown].t <= now) items[shown++].element.hidden = false;
    while (shown > 0 && items[shown - 1].t > now) items[--shown].element.hidden = true;
    const last = items[shown - 1];
    document.querySelector("article.now")?.classList.remove("now");
    const article = last?.element.closest("article");
    if (now < end) article?.classList.add("now");
    const words = shown + " of " + items.length + (last ? " · " + new Date(last.at).toLocaleTimeString() : "");
    seek.value = String(Math.round(now));
    seek.setAttribute("aria-valuetext", words);
    time.textContent = words;
    if (follows) last?.element.scrollIntoView({ block: "end" });
  };
  const stop = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    play.textContent = "Play";
    play.setAttribute("aria-label", "Play");
  };
  const tick = (stamp) => {
    const count = shown;
    const t = now + Math.min(200, stamp - before) * Number(speed.value);
    before = stamp;
    show(t, false);
    if (shown !== count) items[shown - 1]?.element.scrollIntoView({ block: "end" });
    if (now >= end) stop();
    else frame = requestAnimationFrame(tick);
  };
  const start = () => {
    if (now >= end) show(0, true);
    before = performance.now();
    frame = requestAnimationFrame(tick);
    play.textContent = "Pause";
    play.setAttribute("aria-label", "Pause");
  };
  const toggle = () => (frame === 0 ? start() : stop());
  const step = (by, kind) => {
    stop();
    const fits = (item) => kind === undefined || item.kind === kind;
    const found = by > 0
      ? items.find((item) => item.t > now && fits(item))
      : items.findLast((item) => item.t < now && fits(item));
    show(found ? found.t : by > 0 ? end : 0, true);
  };
  play.onclick = toggle;
  by("back").onclick = () => step(-1, "person");
  by("next").onclick = () => step(1, "person");
  by("tool").onclick = () => step(1, "tool");
  seek.oninput = () => { stop(); show(Number(seek.value), true); };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("button, select, summary")) return;
    const act = { " ": toggle, t: () => step(1, "tool"), T: () => step(-1, "tool"), Home: () => show(0, true), End: () => show(end, true),
      ArrowLeft: () => step(-1, event.shiftKey ? "person" : undefined), ArrowRight: () => step(1, event.shiftKey ? "person" : undefined) }[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
  player.hidden = false;
  show(end, false);
})();`;
