import { useState } from "preact/hooks"
import { call } from "../calls/Call.ts"
import type { Input } from "../calls/Contract.ts"
import { useCheckNames, useMayJudge } from "../people/CheckResult.tsx"
import { itemsOf } from "../records/Edited.ts"
import { Screen } from "../shell/Screen.tsx"
import { useUnsaved } from "../shell/UnsavedForms.ts"
import { ChoicesField, LinesField, SelectField, TextField } from "../widgets/Field.tsx"
import { allPages, BatchRun, type Collecting, useRounds } from "./Batch.tsx"
import { useTypeOptions } from "./TypeOptions.ts"

type Body = Input<"POST /fetch-requests/bulk">["body"]
type Worker = Body["workers"][number]

/** Workers of one call. The API takes 50. */
const batchMax = 50

const pageOf = (checkId: string) => async (cursor: string) => {
  const query = { checkId, result: "FAIL", pageSize: "50", cursor }
  const { data, meta } = await call("GET /compliance-matrix", { query })
  return { data: data.map(({ worker: { id } }): Worker => ({ id })), meta }
}

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
  const { isLocked, onAgain, onState, round } = useRounds()
  useUnsaved(!isLocked && ids + asked + message !== "")
  const send = async (workers: ReadonlyArray<Worker>) => {
    const shared = { requestedCredentialTypes, expiryDays: Number(days), ...(message === "" ? {} : { message }) }
    const { data } = await call("POST /fetch-requests/bulk", { body: { workers, ...shared } as Body })
    return data.map((item) => ({ name: nameOf(item.worker), ...(item.success ? {} : { error: item.error }) }))
  }
  const collect = async (collecting: Collecting): Promise<ReadonlyArray<Worker>> =>
    who === "check"
      ? allPages(pageOf(check), collecting)
      : [...new Set(itemsOf(ids))].map((externalId) => ({ externalId }))
  const areDaysValid = /^\d+$/.test(days) && Number(days) >= 1 && Number(days) <= 90
  const isChosen = who === "check" ? check !== "" : itemsOf(ids).length > 0
  return (
    <Screen title="Ask many workers">
      <p class="quiet">
        Each worker gets a fetch request of its own. The service sends e-mails only if the settings of messages say so.
        Stay on this screen until the work has ended: leaving stops it. If the connection or your session ends
        meanwhile, look at the list before you go on, because some may have been asked.{" "}
        <a href="/console/fetch-requests">All fetch requests</a>
      </p>
      <fieldset class="form plain" disabled={isLocked}>
        <legend class="unseen">Request</legend>
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
      </fieldset>
      <BatchRun
        key={round}
        action="Ask"
        verb="asked"
        batch={{ collect, send, size: batchMax }}
        isReady={isChosen && requestedCredentialTypes.length > 0 && areDaysValid}
        onState={onState}
        onAgain={onAgain}
      />
    </Screen>
  )
}
