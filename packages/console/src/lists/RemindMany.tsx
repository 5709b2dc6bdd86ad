import { useState } from "preact/hooks"
import { call } from "../calls/Call.ts"
import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { Refusal } from "../calls/Refusal.ts"
import { nameOfNamed, useOwners } from "../people/Owner.tsx"
import { Screen } from "../shell/Screen.tsx"
import { SelectField, TextField } from "../widgets/Field.tsx"
import { BatchRun } from "./Batch.tsx"

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
  const collect = async (): Promise<ReadonlyArray<Request>> => {
    const found: Array<Request> = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const read = () => call("GET /fetch-requests", { query: { ...query, pageSize: "100", cursor: cursor ?? "" } })
      const { data, meta }: Awaited<ReturnType<typeof read>> = await read()
      found.push(...data)
      cursor = meta.nextCursor
    }
    return found
  }
  const remind = async ([request]: ReadonlyArray<Request>) => {
    if (request === undefined) return []
    const name = <a href={`/console/workers/${request.worker.id}`}>{nameOfNamed(request)}</a>
    try {
      await call("POST /fetch-requests/:id/remind", { params: { id: request.id } })
      return [{ name }]
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 422) throw error
      return [{ name, error: error.message }]
    }
  }
  const total = preview.data?.meta.total
  return (
    <Screen title="Remind many workers">
      <p class="quiet">
        This records a reminder of each fetch request. The service sends no message: send yours first.{" "}
        <a href="/console/fetch-requests">All fetch requests</a>
      </p>
      <div class="form">
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
        <BatchRun
          key={`${status} ${expiringBefore}`}
          action="Record the reminders"
          verb="reminded"
          batch={{ collect, send: remind, size: 1 }}
          isReady={total !== undefined && total > 0}
        />
      </div>
    </Screen>
  )
}
