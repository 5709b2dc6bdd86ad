import type { Data, Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import type { ListKind } from "../listing/ListScreen.tsx"
import type { Column } from "../listing/Table.tsx"
import { announcing } from "../widgets/Announcement.tsx"
import { Badge, wordsOf } from "../widgets/Badge.tsx"
import { Button } from "../widgets/Button.tsx"
import { Copy } from "../widgets/Copy.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { Facts } from "../widgets/Facts.tsx"
import type { Option } from "../widgets/Field.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Opener } from "../widgets/Opener.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { Time } from "../widgets/Time.tsx"
import { stateWords } from "./DeliveryState.ts"

type Delivery = Item<"GET /deliveries">

const states = ["PENDING", "DELIVERED", "FAILED_RETRYABLE", "EXHAUSTED", "SKIPPED_DISABLED"] as const

const tones = {
  PENDING: "wait",
  DELIVERED: "good",
  FAILED_RETRYABLE: "wait",
  EXHAUSTED: "bad",
  SKIPPED_DISABLED: "plain"
} as const

const StateBadge = ({ state }: Pick<Delivery, "state">) => <Badge value={stateWords[state]} tone={tones[state]} />

/** The console screen of each kind of record that events are about. */
const screenOf: Readonly<Record<string, string>> = { cred: "credentials", wkr: "workers", whk: "webhooks" }

/** The record that the event is about. */
const Subject = ({ subjectId }: Pick<Delivery, "subjectId">) => {
  if (subjectId === null) return <span class="quiet">not kept</span>
  const screen = screenOf[subjectId.split("_")[0] ?? ""]
  return screen === undefined ? (
    <code>{subjectId}</code>
  ) : (
    <a href={`/console/${screen}/${encodeURIComponent(subjectId)}`}>{subjectId}</a>
  )
}

/** Returns JSON with indentation, and any other text unchanged. */
const indented = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

type Exchange = Data<"GET /webhooks/:id/deliveries/:deliveryId">["exchanges"][number]

const HeaderLines = ({ headers, title }: { readonly title: string; readonly headers: Exchange["requestHeaders"] }) => (
  <>
    <h4>{title}</h4>
    {headers.length === 0 ? (
      <p class="quiet">None.</p>
    ) : (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard
      <pre tabIndex={0}>{headers.map(({ name, value }) => `${name}: ${value}`).join("\n")}</pre>
    )}
  </>
)

/** What an attempt sent and got. */
const ExchangeDetails = ({ number, requestHeaders, responseBody, responseHeaders }: Exchange) => (
  <details>
    <summary>Headers and answer of attempt {number}</summary>
    <HeaderLines title="Headers sent" headers={requestHeaders} />
    {responseBody === null ? null : (
      <>
        <HeaderLines title="Headers of the answer" headers={responseHeaders} />
        <h4>Beginning of the answer</h4>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard */}
        <pre tabIndex={0}>{responseBody === "" ? "(empty)" : indented(responseBody)}</pre>
      </>
    )}
  </details>
)

const Attempts = ({
  attempts,
  exchanges
}: Pick<Delivery, "attempts"> & { readonly exchanges: ReadonlyArray<Exchange> }) =>
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
          {exchanges
            .filter(({ number }) => number === attempt.number)
            .map((exchange) => (
              <ExchangeDetails key={exchange.number} {...exchange} />
            ))}
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
          ["About", <Subject key="about" {...delivery} />],
          ["Correlation id", delivery.correlationId]
        ]}
      />
      <h3>Attempts</h3>
      <Attempts attempts={delivery.attempts} exchanges={whole.data?.data.exchanges ?? []} />
      {delivery.lastResponse === null || whole.data?.data.exchanges.length !== 0 ? null : (
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

const columns: ReadonlyArray<Column<Delivery>> = [
  { heading: "Event", cell: ({ event }) => event },
  { heading: "About", cell: (delivery) => <Subject {...delivery} /> },
  { heading: "State", cell: (delivery) => <StateBadge {...delivery} /> },
  { heading: "Attempts", cell: ({ attemptCount }) => attemptCount },
  {
    heading: "Last answer",
    cell: ({ attempts }) => {
      const latest = attempts.at(-1)
      if (latest === undefined) return <span class="quiet">none</span>
      return latest.fault === null ? latest.responseStatus : wordsOf(latest.fault)
    }
  },
  { heading: "Begun", cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    heading: "Next attempt",
    cell: ({ nextAttemptAt }) =>
      nextAttemptAt === null ? <span class="quiet">none</span> : <Time at={nextAttemptAt} />
  }
]

/** Opens a delivery. */
const details: Column<Delivery> = {
  heading: "Details",
  cell: (delivery) => (
    <Opener
      name={`Show the delivery of ${delivery.event}`}
      dialog={(close) => <DeliveryDialog delivery={delivery} onClose={close} />}
    >
      Show
    </Opener>
  )
}

/** The kinds of event. */
const useKinds = (): ReadonlyArray<Option> => [
  ["", "every kind"],
  ...(useRead("GET /webhooks/events", {}).data?.data ?? []).map(({ kind }) => [kind, kind] as const)
]

/** What the lists of deliveries share. */
export const deliveries = {
  title: "Deliveries",
  file: "deliveries",
  query: { sort: "createdAt:desc" },
  columns: [...columns, details],
  filters: [
    { name: "state", label: "State", by: states.map((one) => [one, stateWords[one]] as const) },
    { name: "event", label: "Kind of event", by: useKinds },
    { name: "correlationId", label: "Correlation id", by: "words" },
    { name: "eventId", label: "Event id", by: "text" },
    { name: "subjectId", label: "Id of the record", by: "text" },
    { name: "from", label: "Begun from", by: "moment" },
    { name: "to", label: "Begun before", by: "moment" }
  ],
  empty: "No deliveries."
} satisfies Omit<ListKind<"GET /deliveries">, "list">

/** The names of the first webhooks, deleted ones too, by id. */
export const useWebhookNames = (): ReadonlyMap<string, string> => {
  const { data } = useRead("GET /webhooks", { query: { pageSize: "100", includeDeleted: "true" } })
  return new Map((data?.data ?? []).map(({ id, name }) => [id, name]))
}

/** The columns of a list over all webhooks: the webhook is the first one. */
export const useDeliveryColumns = (): ReadonlyArray<Column<Delivery>> => {
  const names = useWebhookNames()
  const cell = ({ webhookId }: Delivery) => (
    <a href={`/console/webhooks/${webhookId}`}>{names.get(webhookId) ?? webhookId}</a>
  )
  return [{ heading: "Webhook", cell }, ...deliveries.columns]
}
