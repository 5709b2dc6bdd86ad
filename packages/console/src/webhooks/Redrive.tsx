import { useQuery } from "@tanstack/preact-query"
import { call } from "../calls/Call.ts"
import type { Output } from "../calls/Contract.ts"
import { useChange } from "../calls/Queries.ts"
import type { Refusal } from "../calls/Refusal.ts"
import { momentOf } from "../widgets/Days.ts"
import { Dialog } from "../widgets/Dialog.tsx"
import { SelectField, TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { filled, useTexts } from "../widgets/Texts.ts"
import { useTimeZone } from "../widgets/Time.tsx"
import { stateWords } from "./DeliveryState.ts"

/** The states of deliveries that a redrive sends again. */
const states = ["EXHAUSTED", "SKIPPED_DISABLED", "FAILED_RETRYABLE"] as const
type State = (typeof states)[number]

/** Sends deliveries of a state again. The preview counts them first. */
export const Redrive = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const redrive = useChange("POST /webhooks/:id/redrive")
  const { field, texts } = useTexts({ state: "EXHAUSTED", from: "", to: "" })
  const timeZone = useTimeZone()
  const moment = (local: string) => (local === "" ? "" : momentOf(local, timeZone))
  const bounds = filled({ from: moment(texts.from), to: moment(texts.to) })
  const body = { states: [texts.state as State], ...bounds }
  const preview = useQuery<Output<"POST /webhooks/:id/redrive">, Refusal>({
    queryKey: ["redrive preview", id, body],
    queryFn: () => call("POST /webhooks/:id/redrive", { params: { id }, body: { ...body, preview: true } })
  })
  const matching = preview.data?.data.matching
  const submit = () => {
    redrive.mutate({ params: { id }, body })
  }
  const result = redrive.data?.data
  return (
    <Dialog title="Send deliveries again" onClose={onClose}>
      <Form
        action="Send again"
        change={redrive}
        disabled={matching === 0}
        leaving={result === undefined ? "Cancel" : "Close"}
        onSubmit={submit}
        out={onClose}
        stays
      >
        <SelectField
          label="Deliveries"
          options={states.map((one) => [one, stateWords[one]] as const)}
          {...field("state")}
        />
        <TextField label="Begun from" type="datetime-local" {...field("from")} />
        <TextField label="Begun before" type="datetime-local" {...field("to")} />
        <p role="status">
          {matching === undefined ? "…" : matching} {matching === 1 ? "delivery matches." : "deliveries match."}
        </p>
        <Problem error={preview.error} />
        {result === undefined ? null : (
          <p class="notice done" role="status">
            {result.redriven} are sent again.{result.hasMore ? " More match: send again for the next ones." : ""}
          </p>
        )}
      </Form>
    </Dialog>
  )
}
