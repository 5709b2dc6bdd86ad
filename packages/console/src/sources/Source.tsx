import { useState } from "preact/hooks"
import type { Data } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { Deletion } from "../records/Deletion.tsx"
import { RecordId } from "../records/RecordId.tsx"
import { Screen } from "../shell/Screen.tsx"
import { ConfirmedCall } from "../widgets/ConfirmedCall.tsx"
import { Facts } from "../widgets/Facts.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Opener } from "../widgets/Opener.tsx"
import { Time } from "../widgets/Time.tsx"
import { EditSource, ReplaceSecret } from "./EditSource.tsx"
import { accountTextOf, remedyOf, SourceBadge } from "./SourceState.tsx"
import { SourceTest } from "./SourceTest.tsx"

type SourceData = Data<"GET /verification-sources/:id">

const daysOf = (days: number): string => (days === 1 ? "every day" : `every ${days} days`)

const About = (source: SourceData) => {
  const remedy = remedyOf(source)
  const { lastFault } = source
  return (
    <section class="block">
      <h2>About</h2>
      <Facts
        facts={[
          ["State", <SourceBadge key="state" {...source} />],
          ["Address", <code key="url">{source.url}</code>],
          ["Secret", source.hasSecret ? "stored, never shown" : "none"],
          ["Verifies a card again", daysOf(source.intervalDays)],
          ["Questions per minute", `at most ${source.limits.callsPerMinute}`],
          ["Last success", <Time key="success" at={source.lastSuccessAt} />],
          [
            "Last fault",
            lastFault === null ? (
              "none"
            ) : (
              <>
                {lastFault.message} <Time at={lastFault.at} />
              </>
            )
          ],
          ["Changed", <Time key="changed" at={source.updatedAt} />],
          ["Id", <RecordId key="id" id={source.id} />]
        ]}
      />
      {remedy === undefined ? null : <p class="notice">{remedy}</p>}
    </section>
  )
}

/** Asks before a source is paused or resumed. */
const Pausing = ({ id, name, state }: SourceData & { readonly name: string }) => {
  const isPaused = state === "PAUSED"
  const action = isPaused ? "Resume" : "Pause"
  return (
    <Opener
      class=""
      dialog={(close) => (
        <ConfirmedCall
          call={isPaused ? "POST /verification-sources/:id/resume" : "POST /verification-sources/:id/pause"}
          input={{ params: { id } }}
          told={isPaused ? `${name} is asked again.` : `${name} is paused.`}
          title={`${action} the source of ${name}?`}
          action={action}
          tone={isPaused ? "main" : "danger"}
          onClose={close}
        >
          <p>
            {isPaused
              ? "The register is asked again. Verifications that wait are asked within 15 minutes."
              : "The register is not asked until you resume. Verifications wait and do not fail. Nobody notices a bar meanwhile."}
          </p>
        </ConfirmedCall>
      )}
    >
      {action}
    </Opener>
  )
}

type DialogKind = "edit" | "secret" | "delete"

const Actions = ({
  name,
  onDialog,
  source
}: {
  readonly name: string
  readonly source: SourceData
  readonly onDialog: (dialog: DialogKind) => void
}) => {
  const may = useMay()
  const button = (dialog: DialogKind, words: string) => (
    <button type="button" onClick={() => onDialog(dialog)}>
      {words}
    </button>
  )
  return (
    <>
      {may("verificationSource:UPDATE") ? (
        <>
          <SourceTest key={source.url} id={source.id} />
          {button("edit", "Edit")}
          {button("secret", source.hasSecret ? "Replace the secret" : "Enter the secret")}
          <Pausing name={name} {...source} />
        </>
      ) : null}
      {may("verificationSource:DELETE") ? (
        <button type="button" class="danger" onClick={() => onDialog("delete")}>
          Delete
        </button>
      ) : null}
    </>
  )
}

/** A source of the organization: state, test, pause, settings and secret. */
export const Source = ({ id }: { readonly id: string }) => {
  const may = useMay()
  const read = useRead("GET /verification-sources/:id", { params: { id } }, { everySeconds: 15 })
  const types = useRead("GET /credential-types", {})
  const [dialog, setDialog] = useState<DialogKind | null>(null)
  const close = () => setDialog(null)
  const source = read.data?.data
  const type = types.data?.data.find(({ code }) => code === source?.credentialType)
  const name = type?.displayName ?? source?.credentialType ?? "Verification source"
  return (
    <Screen
      title={name}
      actions={source === undefined ? null : <Actions name={name} source={source} onDialog={setDialog} />}
    >
      <Loaded read={read}>
        {({ data }) => (
          <div class="group">
            {type?.needsAccount === true ? <p>{accountTextOf(data.credentialType)}</p> : null}
            <About {...data} />
            {may("credential:READ") ? (
              <p>
                <a href={`/console/credentials?credentialType=${data.credentialType}`}>Credentials of this register</a>{" "}
                ·{" "}
                <a href={`/console/credentials?credentialType=${data.credentialType}&eligibility=ERROR`}>
                  those without an answer
                </a>
              </p>
            ) : null}
          </div>
        )}
      </Loaded>
      {read.data === undefined || source === undefined || dialog === null ? null : dialog === "edit" ? (
        <EditSource answer={read.data} name={name} onClose={close} />
      ) : dialog === "secret" ? (
        <ReplaceSecret answer={read.data} name={name} onClose={close} />
      ) : (
        <Deletion list="verification-sources" id={id} name={`the source of ${name}`} onClose={close}>
          <p>
            {type?.needsAccount === true
              ? "Your organization no longer asks this register by its own account. If the default source may not ask for you, cards end as “source not configured”."
              : "The default source of this service asks this register again."}{" "}
            Verdicts stay as they are. The secret is erased, and the source cannot be restored.
          </p>
        </Deletion>
      )}
    </Screen>
  )
}
