import { useState } from "preact/hooks"
import { tagOf } from "../calls/Call.ts"
import type { Data, Input, Output } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useChange } from "../calls/Queries.ts"
import { Facts } from "../widgets/Facts.tsx"
import { SelectField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { CallsField, IntervalField, SecretField, UrlField } from "./SourceFields.tsx"
import { accountTextOf, type Register, SourceBadge } from "./SourceState.tsx"
import { SourceTest } from "./SourceTest.tsx"
import { addressOf } from "./WizardSteps.ts"

type Answer = Output<"GET /verification-sources/:id">

/** A step that sends nothing. */
const idle = { error: null, isPending: false }

const wayNow = ({ askedBy, credentialType, needsAccount }: Register): string =>
  [
    ...(needsAccount ? [accountTextOf(credentialType)] : []),
    askedBy === "DEPLOYMENT"
      ? "At present the default source of this service asks this register. Your source takes its place."
      : "At present nobody asks this register for your organization."
  ].join(" ")

/** The first step: one of the registers without a source. */
export const ChooseRegister = ({
  chosen,
  onChosen,
  registers
}: {
  readonly registers: ReadonlyArray<Register>
  readonly chosen: Register | undefined
  readonly onChosen: (credentialType: string) => void
}) => {
  const [code, setCode] = useState(chosen?.credentialType ?? "")
  const register = registers.find(({ credentialType }) => credentialType === code)
  const open = registers.filter(({ askedBy }) => askedBy !== "TENANT")
  const own = register?.askedBy === "TENANT" ? register.sourceId : null
  return (
    <Form
      action="Next"
      change={idle}
      disabled={own !== null}
      onSubmit={() => onChosen(code)}
      out="/console/verification-sources"
    >
      <SelectField
        label="Register"
        hint="A register has at most one source of your own. Those that need an account of your organization come first."
        value={code}
        options={[
          ["", "Choose a register"],
          ...[...open]
            .sort((one, other) => Number(other.needsAccount) - Number(one.needsAccount))
            .map(({ credentialType, displayName }) => [credentialType, displayName] as const),
          ...(own === null || register === undefined ? [] : [[code, register.displayName] as const])
        ]}
        onChange={setCode}
        required
      />
      {own === null ? null : (
        <p class="notice" role="status">
          This register has a source already: <a href={`/console/verification-sources/${own}`}>show it</a>.
        </p>
      )}
      {register === undefined || own !== null ? null : (
        <p class="notice" role="status">
          {wayNow(register)}
        </p>
      )}
    </Form>
  )
}

/** The second step: the gateway and its secret. It creates the source, or corrects the one that was created before. */
export const EnterGateway = ({
  answer,
  onNext,
  onSecret,
  onStored,
  onUrl,
  register,
  secret,
  url
}: {
  readonly register: Register
  /** The source, if a person comes back to this step. */
  readonly answer: Answer | undefined
  readonly url: string
  readonly secret: string
  readonly onUrl: (url: string) => void
  readonly onSecret: (secret: string) => void
  readonly onStored: (source: Pick<Data<"POST /verification-sources">, "id">) => void
  readonly onNext: () => void
}) => {
  const create = useChange("POST /verification-sources")
  const update = useChange("PATCH /verification-sources/:id")
  const credentialType = register.credentialType as Input<"POST /verification-sources">["body"]["credentialType"]
  const source = answer?.data
  const isMoved = source !== undefined && url !== source.url
  const needsSecret = source === undefined || isMoved || !source.hasSecret
  const submit = () => {
    if (source === undefined) {
      return create.mutate({ body: { credentialType, url, secret } }, { onSuccess: ({ data }) => onStored(data) })
    }
    if (!isMoved && secret === "") return onNext()
    const body = { ...(isMoved ? { url } : {}), ...(secret === "" ? {} : { secret }) }
    update.mutate(
      { params: { id: source.id }, body, ifMatch: tagOf(answer) },
      { onSuccess: ({ data }) => onStored(data) }
    )
  }
  return (
    <Form
      action="Store and go on"
      change={source === undefined ? create : update}
      leaving="Back"
      onSubmit={submit}
      out={addressOf("register", { credentialType: register.credentialType })}
    >
      <p>
        A gateway is a small program of your organization. It translates the questions of this service for{" "}
        {register.displayName}. Once it is stored, this register is asked by it alone.
      </p>
      <UrlField value={url} onChange={onUrl} />
      <SecretField
        {...(needsSecret ? {} : { hint: "A secret is stored. Leave this empty to keep it.", required: false })}
        value={secret}
        onChange={onSecret}
      />
    </Form>
  )
}

interface StepProps {
  readonly register: Register
  readonly answer: Answer
  readonly onNext: () => void
}

/** The third step: a question about nobody. */
export const TryGateway = ({ answer: { data }, onNext, register: { credentialType } }: StepProps) => {
  const [result, setResult] = useState<string | null>(null)
  const isGood = result === "OK"
  const state = { credentialType, source: data.id }
  return (
    <div class="group">
      <p>The test asks the gateway once, about nobody. It shows whether the address and the secret are right.</p>
      <div class="actions">
        <SourceTest id={data.id} onResult={setResult} />
      </div>
      <div class="actions">
        <button type="button" class={isGood ? "main" : undefined} onClick={onNext}>
          {isGood ? "Next" : "Go on without a successful test"}
        </button>
        <a class="button" href={addressOf("gateway", state)}>
          {result === null || isGood ? "Back" : "Correct the address or the secret"}
        </a>
      </div>
    </div>
  )
}

/** The fourth step: how often a card is verified again, and the limit of the register. */
export const SetLimits = ({ answer, onNext, register: { credentialType } }: StepProps) => {
  const update = useChange("PATCH /verification-sources/:id")
  const [{ id, intervalDays, limits }] = useState(answer.data)
  const [days, setDays] = useState(String(intervalDays))
  const [calls, setCalls] = useState(String(limits.callsPerMinute))
  const body = {
    ...(days === String(intervalDays) ? {} : { intervalDays: Number(days) }),
    ...(calls === String(limits.callsPerMinute) ? {} : { limits: { callsPerMinute: Number(calls) } })
  }
  const submit = () => {
    if (Object.keys(body).length === 0) return onNext()
    update.mutate({ params: { id }, body, ifMatch: tagOf(answer) }, { onSuccess: onNext })
  }
  return (
    <Form
      action="Next"
      change={update}
      leaving="Back"
      onSubmit={submit}
      out={addressOf("test", { credentialType, source: id })}
    >
      <IntervalField value={days} onChange={setDays} />
      <CallsField value={calls} onChange={setCalls} />
    </Form>
  )
}

/** The last step: what is set up, and what to do next. */
export const ShowDone = ({ answer: { data }, register }: Omit<StepProps, "onNext">) => {
  const may = useMay()
  const waiting = `/console/credentials?credentialType=${data.credentialType}&eligibility=ERROR`
  return (
    <div class="group">
      <p class="notice done" role="status">
        {register.displayName} is asked by the gateway of your organization from now on.
      </p>
      <Facts
        facts={[
          ["State", <SourceBadge key="state" {...data} />],
          ["Address", <code key="url">{data.url}</code>],
          ["Days between verifications", data.intervalDays],
          ["Questions per minute", `at most ${data.limits.callsPerMinute}`]
        ]}
      />
      {may("credential:READ") ? (
        <p>
          Cards that had no answer before are not asked by themselves: <a href={waiting}>verify them</a>.
        </p>
      ) : null}
      <div class="actions">
        <a class="button main" href={`/console/verification-sources/${data.id}`}>
          Show the source
        </a>
        <a class="button" href="/console/verification-sources">
          All registers
        </a>
      </div>
    </div>
  )
}
