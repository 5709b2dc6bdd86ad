import { useRef } from "preact/hooks"
import { call } from "../calls/Call.ts"
import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { Refusal } from "../calls/Refusal.ts"
import { SelectFilter } from "../listing/Filters.tsx"
import { Listing } from "../listing/Listing.tsx"
import { allPages, BatchRun, type Collecting, type Outcome, useRounds } from "../lists/Batch.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Empty } from "../widgets/Empty.tsx"
import { useDeliveryColumns, useWebhookNames } from "./Deliveries.tsx"
import { stateWords } from "./DeliveryState.ts"

type Delivery = Item<"GET /deliveries">

/** The states of deliveries that are not sent again by themselves. */
const states = ["EXHAUSTED", "SKIPPED_DISABLED"] as const

/** Deliveries of one call of the batch. A call names at most 500. */
const together = 100

/** The deliveries that were given up, over all webhooks, and the work that sends them all again. */
export const GivenUp = () => {
  const [{ cursor, state = states[0] }] = useUrlState()
  const may = useMay()
  const names = useWebhookNames()
  const read = useRead("GET /deliveries", {
    query: { state, sort: "createdAt:desc", cursor, pageSize: "25", includeTotal: "true" }
  })
  const { isLocked, onAgain, onState, round } = useRounds()
  const collect = (collecting: Collecting) =>
    // The oldest first, as they would have arrived.
    allPages<Delivery>(
      (next) => call("GET /deliveries", { query: { state, sort: "createdAt:asc", pageSize: "100", cursor: next } }),
      collecting
    )

  /** What was sent in this batch. A call that came too early repeats its portion, and must not send these twice. */
  const sent = useRef(new Map<string, ReadonlyArray<Outcome>>())

  /** Sends those of one webhook again that are still in the state. */
  const sendTo = async (webhookId: string, deliveries: ReadonlyArray<Delivery>): Promise<ReadonlyArray<Outcome>> => {
    const name = <a href={`/console/webhooks/${webhookId}`}>{names.get(webhookId) ?? webhookId}</a>
    try {
      const body = { deliveryIds: deliveries.map(({ id }) => id), states: [state as (typeof states)[number]] }
      const { data } = await call("POST /webhooks/:id/redrive", { params: { id: webhookId }, body })
      return deliveries.map((_, index) =>
        index < data.redriven ? { name } : { name, error: "The delivery is no longer in this state." }
      )
    } catch (error) {
      if (!(error instanceof Refusal) || ![404, 422].includes(error.status)) throw error
      return deliveries.map(() => ({ name, error: error.message }))
    }
  }
  const send = async (deliveries: ReadonlyArray<Delivery>) => {
    const outcomes: Array<Outcome> = []
    for (const [webhookId, own] of Map.groupBy(deliveries, (one) => one.webhookId)) {
      const key = own[0]?.id ?? ""
      const told = sent.current.get(key) ?? (await sendTo(webhookId, own))
      sent.current.set(key, told)
      outcomes.push(...told)
    }
    return outcomes
  }
  const total = read.data?.meta.total ?? 0
  return (
    <Screen title="Given up">
      <p class="quiet">
        Deliveries that are not sent any more by themselves. Mend the receiver, or enable the webhook, then send them
        again.
      </p>
      <fieldset class="filters plain" disabled={isLocked}>
        <legend class="unseen">Deliveries</legend>
        <SelectFilter name="state" label="State" options={states.map((one) => [one, stateWords[one]] as const)} />
      </fieldset>
      {may("webhook:UPDATE") ? (
        <BatchRun
          key={round}
          action="Send all of these again"
          things="Deliveries"
          verb="sent again"
          batch={{ collect, send, size: together }}
          isReady={total > 0}
          onState={onState}
          onAgain={() => {
            sent.current.clear()
            onAgain()
          }}
        />
      ) : null}
      <Listing
        read={read}
        caption="Deliveries"
        columns={useDeliveryColumns()}
        empty={<Empty title="No delivery is in this state." />}
      />
    </Screen>
  )
}
