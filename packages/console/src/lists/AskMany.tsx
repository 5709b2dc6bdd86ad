import { useState } from "preact/hooks"
import { call } from "../calls/Call.ts"
import type { Input } from "../calls/Contract.ts"
import { useCheckNames, useMayJudge } from "../people/CheckResult.tsx"
import { itemsOf } from "../records/Edited.ts"
import { Screen } from "../shell/Screen.tsx"
import { useUnsaved } from "../shell/UnsavedForms.ts"
import { ChoicesField, LinesField, SelectField, TextField } from "../widgets/Field.tsx"
import { BatchRun } from "./Batch.tsx"
import { useTypeOptions } from "./TypeOptions.ts"

type Body = Input<"POST /fetch-requests/bulk">["body"]
type Worker = Body["workers"][number]

/** Workers of one call. The API takes 50. */
const batchMax = 50

/** All workers who fail a check, read in pages. */
const failing = async (checkId: string): Promise<ReadonlyArray<Worker>> => {
  const found: Array<Worker> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const { data, meta }: Awaited<ReturnType<typeof pageOf>> = await pageOf(checkId, cursor)
    found.push(...data.map(({ worker: { id } }) => ({ id })))
    cursor = meta.nextCursor
  }
  return found
}

const pageOf = (checkId: string, cursor: string) =>
  call("GET /compliance-matrix", { query: { checkId, result: "FAIL", pageSize: "100", cursor } })

const nameOf = ({ externalId, id }: Worker) =>
  id === undefined ? <code>{externalId}</code> : <a href={`/console/workers/${id}`}>{id}</a>

/** Asks many workers for the same credentials: those with these ids, or all who fail a check. */
export const AskMany = () => {
  const judges = useMayJudge()
  const checks = [...(useCheckNames({ isWanted: judges }) ?? [])]
  const types = useTypeOptions()
  const [who, setWho] = useState("ids")
  const [ids, setIds] = useState("")
  const [check, setCheck] = useState("")
  const [asked, setAsked] = useState("")
  const [message, setMessage] = useState("")
  const [days, setDays] = useState("14")
  const requestedCredentialTypes = itemsOf(asked)
  useUnsaved(ids !== "" || asked !== "" || message !== "")
  const send = async (workers: ReadonlyArray<Worker>) => {
    const shared = { requestedCredentialTypes, expiryDays: Number(days), ...(message === "" ? {} : { message }) }
    const { data } = await call("POST /fetch-requests/bulk", { body: { workers, ...shared } as Body })
    return data.map((item) => ({ name: nameOf(item.worker), ...(item.success ? {} : { error: item.error }) }))
  }
  const collect = async () => (who === "check" ? failing(check) : itemsOf(ids).map((externalId) => ({ externalId })))
  const isChosen = who === "check" ? check !== "" : itemsOf(ids).length > 0
  return (
    <Screen title="Ask many workers">
      <p class="quiet">
        Each worker gets a fetch request of its own. The service sends no message. Stay on this screen until the work
        has ended: leaving stops it. <a href="/console/fetch-requests">All fetch requests</a>
      </p>
      <div class="form">
        <SelectField
          label="Workers"
          value={who}
          options={[["ids", "those with these ids"], ...(judges ? [["check", "all who fail a check"] as const] : [])]}
          onChange={setWho}
        />
        {who === "check" ? (
          <SelectField
            label="Check"
            value={check}
            options={[["", "Choose a check"], ...checks]}
            onChange={setCheck}
            required
          />
        ) : (
          <LinesField label="Your ids" hint="One a line, as in the column “Your id”." value={ids} onChange={setIds} />
        )}
        <ChoicesField label="Credentials" options={types} value={asked} onChange={setAsked} />
        <TextField label="Message" value={message} onChange={setMessage} maxLength={2000} />
        <TextField label="Days to answer" type="number" min={1} max={90} value={days} onChange={setDays} required />
        <BatchRun
          key={`${who} ${check} ${ids} ${asked}`}
          action="Ask"
          verb="asked"
          batch={{ collect, send, size: batchMax }}
          isReady={isChosen && requestedCredentialTypes.length > 0 && Number(days) >= 1}
        />
      </div>
    </Screen>
  )
}
