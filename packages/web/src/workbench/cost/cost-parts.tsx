// What both forms of the cost panel show: figures, models, kinds of tokens, and the table as a file.

import { Button } from "../../parts/button.tsx";
import { formatCost, formatCount, formatShare } from "../../words/format.ts";
import { modelName } from "../../words/names.ts";
import { cacheShareOf, dayOf, kindsOf, modelsByCost } from "./cost-model.ts";
import type { Uses } from "./cost-model.ts";
import { WORDS } from "./words.ts";

export const Figure = ({
  name,
  value,
  about,
}: {
  readonly name: string;
  readonly value: string;
  readonly about: string;
}) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <b className="num">{value}</b>
      <small className="num">{about}</small>
    </dd>
  </div>
);

export const ByModel = ({ sum }: { readonly sum: Uses }) => {
  const models = modelsByCost(sum);
  const highest = Math.max(...models.map((model) => sum.byModel[model]!.costUsd), 0.000_001);
  return (
    <section className="section">
      <h3>{WORDS.byModel}</h3>
      <ul className="cost-models">
        {models.map((model, at) => {
          const use = sum.byModel[model]!;
          const own = { byModel: { [model]: use } };
          return (
            <li key={model}>
              <span title={model}>{modelName(model)}</span>
              <b className="num">{formatCost(use.costUsd)}</b>
              <span className="cost-model-bar" aria-hidden="true">
                <i className={`chart-${at % 6}`} style={{ width: `${(use.costUsd / highest) * 100}%` }} />
              </span>
              <small className="num">
                {WORDS.inAndOut(
                  formatCount(use.input + use.cacheRead + use.cacheWrite),
                  formatShare(cacheShareOf(own)),
                  formatCount(use.output),
                )}
              </small>
            </li>
          );
        })}
      </ul>
    </section>
  );
};

/** What went in and came out. Tokens from the cache cost about a tenth. */
export const ByKind = ({ sum }: { readonly sum: Uses }) => {
  const kinds = kindsOf(sum);
  const all = kinds.reduce((total, { tokens }) => total + tokens, 0);
  if (all === 0) return null;
  return (
    <section className="section" aria-label={WORDS.byKind}>
      <h3>
        {WORDS.byKind} <span className="num">{formatCount(all)}</span>
      </h3>
      <div className="cost-kind-bar" aria-hidden="true">
        {kinds.map(({ name, tokens }, at) => (
          <i key={name} className={`chart-${at}`} style={{ width: `${(tokens / all) * 100}%` }} />
        ))}
      </div>
      <ul className="cost-kinds">
        {kinds.map(({ name, tokens }, at) => (
          <li key={name}>
            <i className={`chart-${at}`} /> {name} <b className="num">{formatCount(tokens)}</b>{" "}
            <span className="num">{formatShare(tokens / all)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
};

export const ExportButton = ({ text }: { readonly text: () => string }) => (
  <Button small onClick={() => download(text())}>
    {WORDS.exportCsv}
  </Button>
);

const download = (text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `quarterdeck-cost-${dayOf(Date.now())}.csv`;
  link.click();
  URL.revokeObjectURL(url);
};
