import { call } from "../calls/Call.ts"
import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { Refusal } from "../calls/Refusal.ts"
import { allPages, BatchRun, type Collecting, type Outcome, useRounds } from "../lists/Batch.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { SelectFilter } from "../widgets/Filters.tsx"
import { DeliveryTable, useWebhookNames, webhookColumn } from "./Deliveries.tsx"
import { stateWords } from "./DeliveryState.ts"

type Delivery = Item<"GET /deliveries">

/** The states of deliveries that are not sent again by themselves. */
const states = ["EXHAUSTED", "SKIPPED_DISABLED"] as const

/** Deliveries of one call of the batch. A call names at most 500. */
const together = 100

/** The deliveries that were given up, over all webhooks, and the work that sends them all again. */
export const DeadLetters = () => {
  const [{ cursor, state = states[0] }] = useUrlState()
  const may = useMay()
  const names = useWebhookNames()
  const webhook = webhookColumn(names)
  const query = { state, sort: "createdAt:desc" }
  const read = useRead("GET /deliveries", { query: { ...query, cursor, pageSize: "25", includeTotal: "true" } })
  const { isLocked, onAgain, onState, round } = useRounds()
  const collect = (collecting: Collecting) =>
    allPages<Delivery>(
      (next) => call("GET /deliveries", { query: { ...query, pageSize: "100", cursor: next } }),
      collecting
    )

  /** Sends those of one webhook again. */
  const sendTo = async (webhookId: string, deliveries: ReadonlyArray<Delivery>): Promise<ReadonlyArray<Outcome>> => {
    const name = <a href={`/console/webhooks/${webhookId}`}>{names.get(webhookId) ?? webhookId}</a>
    try {
      const body = { deliveryIds: deliveries.map(({ id }) => id) }
      await call("POST /webhooks/:id/redrive", { params: { id: webhookId }, body })
      return deliveries.map(() => ({ name }))
    } catch (error) {
      if (!(error instanceof Refusal) || ![404, 422].includes(error.status)) throw error
      return deliveries.map(() => ({ name, error: error.message }))
    }
  }
  const send = async (deliveries: ReadonlyArray<Delivery>) => {
    const outcomes: Array<Outcome> = []
    for (const [webhookId, own] of Map.groupBy(deliveries, (one) => one.webhookId)) {
      outcomes.push(...(await sendTo(webhookId, own)))
    }
    return outcomes
  }
  const total = read.data?.meta.total ?? 0
  return (
    <Screen title="Dead letters">
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
          onAgain={onAgain}
        />
      ) : null}
      <DeliveryTable read={read} first={[webhook]} empty={<p>Every delivery arrived, or is still tried.</p>} />
    </Screen>
  )
}
