import { useState } from "preact/hooks"
import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { useUrlState } from "../shell/UrlState.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { Badge, wordsOf } from "../widgets/Badge.tsx"
import { Button } from "../widgets/Button.tsx"
import { Copy } from "../widgets/Copy.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { Facts } from "../widgets/Facts.tsx"
import { SelectFilter } from "../widgets/Filters.tsx"
import { Listing } from "../widgets/Listing.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { Time } from "../widgets/Time.tsx"
import { stateWords } from "./DeliveryState.ts"

type Delivery = Item<"GET /webhooks/:id/deliveries">

const states = ["PENDING", "DELIVERED", "FAILED_RETRYABLE", "EXHAUSTED", "SKIPPED_DISABLED"] as const

const tones = {
  PENDING: "wait",
  DELIVERED: "good",
  FAILED_RETRYABLE: "wait",
  EXHAUSTED: "bad",
  SKIPPED_DISABLED: "plain"
} as const

const StateBadge = ({ state }: Pick<Delivery, "state">) => <Badge value={stateWords[state]} tone={tones[state]} />

/** Returns JSON with indentation, and any other text unchanged. */
const indented = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const Attempts = ({ attempts }: Pick<Delivery, "attempts">) =>
  attempts.length === 0 ? (
    <p class="quiet">None yet.</p>
  ) : (
    <ol class="timeline">
      {attempts.map((attempt) => (
        <li key={attempt.at}>
          <Time at={attempt.at} isExact /> ·{" "}
          {attempt.responseStatus === null ? "no answer" : `status ${attempt.responseStatus}`} ·{" "}
          {attempt.durationMillis} ms
          {attempt.fault === null ? null : <p>{wordsOf(attempt.fault)}</p>}
        </li>
      ))}
    </ol>
  )

/** A delivery with its attempts and the last answer of the receiver. */
const DeliveryDialog = ({ delivery, onClose }: { readonly delivery: Delivery; readonly onClose: () => void }) => {
  const may = useMay()
  const redrive = useChange("POST /webhooks/:id/redrive")
  const whole = useRead("GET /webhooks/:id/deliveries/:deliveryId", {
    params: { id: delivery.webhookId, deliveryId: delivery.id }
  })
  return (
    <Dialog title={`Delivery of ${delivery.event}`} onClose={onClose}>
      <Facts
        facts={[
          ["State", <StateBadge key="state" {...delivery} />],
          ["Begun", <Time key="begun" at={delivery.createdAt} />],
          ["Next attempt", delivery.nextAttemptAt === null ? undefined : <Time at={delivery.nextAttemptAt} />],
          [
            "Event id",
            <>
              <code>{delivery.eventId}</code> <Copy text={delivery.eventId} what="the event id" />
            </>
          ],
          ["Correlation id", delivery.correlationId]
        ]}
      />
      <h3>Attempts</h3>
      <Attempts {...delivery} />
      {delivery.lastResponse === null ? null : (
        <>
          <h3>Last answer</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard */}
          <pre tabIndex={0}>{delivery.lastResponse === "" ? "(empty)" : indented(delivery.lastResponse)}</pre>
        </>
      )}
      <h3>Request</h3>
      <Loaded read={whole}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard */}
        {({ data }) => <pre tabIndex={0}>{indented(data.body)}</pre>}
      </Loaded>
      <Problem error={redrive.error} />
      <div class="actions">
        {may("webhook:UPDATE") && delivery.state !== "PENDING" ? (
          <Button
            isBusy={redrive.isPending}
            onClick={() =>
              redrive.mutate(
                { params: { id: delivery.webhookId }, body: { deliveryIds: [delivery.id] } },
                announcing("The delivery is sent again. Its new attempt appears in the list.", onClose)
              )
            }
          >
            Send again
          </Button>
        ) : null}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

/** The deliveries of a webhook by state, newest first. */
export const Deliveries = ({ id }: { readonly id: string }) => {
  const [{ cursor, state = "" }] = useUrlState()
  const read = useRead(
    "GET /webhooks/:id/deliveries",
    { params: { id }, query: { cursor, state, sort: "createdAt:desc", pageSize: "25", includeTotal: "true" } },
    { everySeconds: 10 }
  )
  const [opened, setOpened] = useState<Delivery | null>(null)
  return (
    <section class="block">
      <h2>Deliveries</h2>
      <div class="filters">
        <SelectFilter
          name="state"
          label="State"
          options={[["", "any"], ...states.map((one) => [one, stateWords[one]] as const)]}
        />
      </div>
      <Listing
        read={read}
        caption="Deliveries"
        columns={[
          { heading: "Event", cell: ({ event }) => event },
          { heading: "State", cell: (delivery) => <StateBadge {...delivery} /> },
          { heading: "Attempts", cell: ({ attemptCount }) => attemptCount },
          {
            heading: "Last status",
            cell: ({ attempts }) => attempts.at(-1)?.responseStatus ?? <span class="quiet">none</span>
          },
          { heading: "Begun", cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            heading: "Next attempt",
            cell: ({ nextAttemptAt }) =>
              nextAttemptAt === null ? <span class="quiet">none</span> : <Time at={nextAttemptAt} />
          },
          {
            heading: "Details",
            cell: (delivery) => (
              <button
                type="button"
                class="small"
                aria-label={`Show the delivery of ${delivery.event}`}
                onClick={() => setOpened(delivery)}
              >
                Show
              </button>
            )
          }
        ]}
        empty={<Empty title="No deliveries." />}
      />
      {opened === null ? null : <DeliveryDialog delivery={opened} onClose={() => setOpened(null)} />}
    </section>
  )
}
