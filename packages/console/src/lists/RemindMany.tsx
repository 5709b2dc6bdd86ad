import { useState } from "preact/hooks"
import { call } from "../calls/Call.ts"
import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { Refusal } from "../calls/Refusal.ts"
import { nameOfNamed, useOwners } from "../people/Owner.tsx"
import { Screen } from "../shell/Screen.tsx"
import { SelectField, TextField } from "../widgets/Field.tsx"
import { allPages, BatchRun, type Collecting, useRounds } from "./Batch.tsx"

type Request = Item<"GET /fetch-requests">

const waiting = [
  ["SENT", "have not answered"],
  ["IN_PROGRESS", "have answered in part"],
  ["INITIATED", "were not asked yet"]
] as const

/** Records a reminder of many fetch requests: those that wait and, if wanted, end soon. */
export const RemindMany = () => {
  const include = useOwners()
  const [status, setStatus] = useState("SENT")
  const [expiringBefore, setExpiringBefore] = useState("")
  const query = { status, expiringBefore, include }
  const preview = useRead("GET /fetch-requests", { query: { ...query, pageSize: "1", includeTotal: "true" } })
  const { isLocked, onAgain, onState, round } = useRounds()
  const collect = (collecting: Collecting) =>
    allPages<Request>(
      (cursor) => call("GET /fetch-requests", { query: { ...query, pageSize: "100", cursor } }),
      collecting
    )
  const remind = async ([request]: ReadonlyArray<Request>) => {
    if (request === undefined) return []
    const name = <a href={`/console/workers/${request.worker.id}`}>{nameOfNamed(request)}</a>
    try {
      await call("POST /fetch-requests/:id/remind", { params: { id: request.id } })
      return [{ name }]
    } catch (error) {
      if (!(error instanceof Refusal) || ![404, 409, 422].includes(error.status)) throw error
      return [{ name, error: error.message }]
    }
  }
  const total = preview.data?.meta.total
  return (
    <Screen title="Remind many workers">
      <p class="quiet">
        This records a reminder of each fetch request. Send yours first, unless your organization sends e-mails.{" "}
        <a href="/console/fetch-requests">All fetch requests</a>
      </p>
      <fieldset class="form plain" disabled={isLocked}>
        <legend class="unseen">Requests</legend>
        <SelectField label="Workers who" value={status} options={waiting} onChange={setStatus} />
        <TextField
          label="Last day before"
          type="date"
          hint="Empty for any last day."
          value={expiringBefore}
          onChange={setExpiringBefore}
        />
        <p role="status">
          {total ?? "…"} {total === 1 ? "request" : "requests"}
        </p>
      </fieldset>
      <BatchRun
        key={round}
        action="Record the reminders"
        verb="reminded"
        batch={{ collect, send: remind, size: 1 }}
        isReady={total !== undefined && total > 0}
        onState={onState}
        onAgain={onAgain}
      />
    </Screen>
  )
}
