import type { Data } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { CheckField } from "../widgets/Field.tsx"
import { Loaded } from "../widgets/Loaded.tsx"

export type EventKind = Data<"GET /webhooks/events">[number]["kind"]

/** The kinds of event that a webhook receives. */
export const EventChoice = ({
  chosen,
  onChange
}: {
  readonly chosen: ReadonlyArray<EventKind>
  readonly onChange: (kinds: ReadonlyArray<EventKind>) => void
}) => (
  <fieldset class="picker">
    <legend>Events</legend>
    <Loaded read={useRead("GET /webhooks/events", {})}>
      {({ data }) =>
        data.map(({ description, kind }) => (
          <CheckField
            key={kind}
            label={`${kind}: ${description}`}
            value={chosen.includes(kind)}
            onChange={(isChosen) => onChange(isChosen ? [...chosen, kind] : chosen.filter((one) => one !== kind))}
          />
        ))
      }
    </Loaded>
  </fieldset>
)
