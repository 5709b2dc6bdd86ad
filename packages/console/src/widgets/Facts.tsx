import type { ComponentChildren } from "preact"

/** A name and its value. Facts without a value are left out. */
export type Fact = readonly [name: string, value: ComponentChildren]

/** Names and values of one record. */
export const Facts = ({ facts }: { readonly facts: ReadonlyArray<Fact> }) => (
  <dl class="facts">
    {facts
      .filter(([, value]) => value !== undefined && value !== null && value !== "")
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)
