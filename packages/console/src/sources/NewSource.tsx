import { useEffect, useRef, useState } from "preact/hooks"
import type { Data } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Loaded } from "../widgets/Loaded.tsx"
import type { Register } from "./SourceState.tsx"
import { ChooseRegister, EnterGateway, SetLimits, ShowDone, TryGateway } from "./SourceSteps.tsx"
import { type Step, stepAt, steps } from "./WizardSteps.ts"

const Progress = ({ step }: { readonly step: Step }) => (
  <ol class="steps" aria-label="Steps">
    {steps.map(([one, words]) => (
      <li key={one} aria-current={one === step ? "step" : undefined}>
        {words}
      </li>
    ))}
  </ol>
)

/** The heading of a step. It gets the focus, so that the keyboard and screen readers go on from there. */
const Heading = ({ step }: { readonly step: Step }) => {
  const heading = useRef<HTMLHeadingElement>(null)
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isFirst.current) heading.current?.focus()
    isFirst.current = false
  }, [step])
  const index = steps.findIndex(([one]) => one === step)
  return (
    <h2 ref={heading} tabIndex={-1}>
      Step {index + 1} of {steps.length}: {steps[index]?.[1]}
    </h2>
  )
}

const Steps = ({ registers }: { readonly registers: ReadonlyArray<Register> }) => {
  const [{ credentialType = "", source: sourceId = "", step: asked }, change] = useUrlState()
  const [url, setUrl] = useState("")
  const [secret, setSecret] = useState("")
  const read = useRead("GET /verification-sources/:id", { params: { id: sourceId } }, { isWanted: sourceId !== "" })
  const register = registers.find((one) => one.credentialType === credentialType)
  const source = read.data?.data
  const step = stepAt(asked, register, sourceId !== "")
  const go = (next: Step, more: Readonly<Record<string, string>> = {}) => change({ ...more, step: next })
  const stored = ({ id }: Pick<Data<"POST /verification-sources">, "id">) => {
    setSecret("") // the secret leaves the memory of the page
    go("test", { source: id })
  }
  return (
    <div class="group wizard">
      <Progress step={step} />
      <Heading step={step} />
      {step === "register" || register === undefined ? (
        <ChooseRegister
          registers={registers}
          chosen={register}
          onChosen={(code) => go("gateway", { credentialType: code, source: "" })}
        />
      ) : step === "gateway" ? (
        <EnterGateway
          key={source?.id}
          register={register}
          answer={read.data}
          url={url === "" ? (source?.url ?? "") : url}
          secret={secret}
          onUrl={setUrl}
          onSecret={setSecret}
          onStored={stored}
          onNext={() => go("test")}
        />
      ) : (
        <Loaded read={read}>
          {(answer) =>
            step === "test" ? (
              <TryGateway register={register} answer={answer} onNext={() => go("limits")} />
            ) : step === "limits" ? (
              <SetLimits register={register} answer={answer} onNext={() => go("done")} />
            ) : (
              <ShowDone register={register} answer={answer} />
            )
          }
        </Loaded>
      )}
    </div>
  )
}

/** Sets up a source in five steps: register, gateway and secret, test, interval and limits, done. */
export const NewSource = () => (
  <Screen title="Set up a source">
    <Loaded read={useRead("GET /verification-sources/registers", {})}>
      {({ data }) => <Steps registers={data} />}
    </Loaded>
  </Screen>
)
