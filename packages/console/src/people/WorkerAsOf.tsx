import { useState } from "preact/hooks"
import { fileOf } from "../calls/Call.ts"
import type { Data, Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { Verification } from "../credentials/Histories.tsx"
import { FileButtons, type FileForm } from "../listing/ListExport.tsx"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Badge } from "../widgets/Badge.tsx"
import { dayAt } from "../widgets/Days.ts"
import { Facts } from "../widgets/Facts.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { CalendarDay, Time, useTimeZone, useToday } from "../widgets/Time.tsx"
import { CheckResult, useCheckNames } from "./CheckResult.tsx"

type Worker = Data<"GET /workers/:id">
type Card = NonNullable<Worker["credentials"]>[number]
type Verified = Item<"GET /credentials/:id/verifications">

/** A verification as it was known at the end of a day: without a verdict that came later. */
const knownOn = (one: Verified, day: string, timeZone: string): Verified =>
  one.verifiedAt !== null && dayAt(new Date(one.verifiedAt), timeZone) > day
    ? { ...one, eligibility: "IN_PROGRESS", statusDetail: "PENDING", expiryDate: null, errorMessage: null }
    : one

/** The last verifications of a credential until the end of a day, newest first. */
const Evidence = ({ day, id }: { readonly id: string; readonly day: string }) => {
  const timeZone = useTimeZone()
  const [cursor, setCursor] = useState<string>()
  const read = useRead("GET /credentials/:id/verifications", {
    params: { id },
    query: { cursor, pageSize: "100", sort: "createdAt:desc" }
  })
  const until = (read.data?.data ?? []).filter(({ requestedAt }) => dayAt(new Date(requestedAt), timeZone) <= day)
  const next = read.data?.meta.nextCursor ?? null
  if (until.length === 0 && next !== null && next !== cursor) setCursor(next)
  return (
    <Loaded read={read}>
      {() =>
        until.length === 0 ? (
          <p class="quiet">It was not verified by then.</p>
        ) : (
          <ol class="timeline">
            {until.map((one) => (
              <Verification key={one.id} {...knownOn(one, day, timeZone)} />
            ))}
          </ol>
        )
      }
    </Loaded>
  )
}

const CardThen = ({ card: { attributes, id }, day }: { readonly card: Card; readonly day: string }) => (
  <section class="block">
    <h2>
      {attributes.credentialType} {attributes.identifier}
    </h2>
    <Facts
      facts={[
        ["Verdict", attributes.eligibility === undefined ? undefined : <Badge value={attributes.eligibility} />],
        ["Last verified", <Time key="verified" at={attributes.lastVerifiedAt} isExact />],
        ["Expires", <CalendarDay key="expires" day={attributes.expiryDate} />],
        ["Id", <code key="id">{id}</code>]
      ]}
    />
    <h3>Verifications</h3>
    <Evidence key={day} id={id} day={day} />
  </section>
)

/** The compliance checks that counted on a day, with the reasons of each failure. */
const ChecksThen = ({ asOf, id }: { readonly id: string; readonly asOf: string }) => {
  const read = useRead("GET /compliance-matrix", { query: { asOf, workerId: id } })
  const names = useCheckNames({ everyTime: true })
  return (
    <section class="block">
      <h2>Compliance checks</h2>
      <Loaded read={read}>
        {({ data: [row] }) =>
          row === undefined || row.checks.length === 0 ? (
            <p class="quiet">No check was enabled.</p>
          ) : (
            <Facts
              facts={row.checks.map((check) => [
                names?.get(check.complianceCheckId) ?? check.complianceCheckId,
                <CheckResult key={check.complianceCheckId} {...check} />
              ])}
            />
          )
        }
      </Loaded>
    </section>
  )
}

const About = ({ employment, id, identity, updatedAt }: Worker) => (
  <section class="block">
    <h2>About</h2>
    <Facts
      facts={[
        ["Name", identity.displayName],
        ["Status", employment?.status === undefined ? undefined : <Badge value={employment.status} />],
        ["Job", employment?.jobTitle],
        ["Changed", <Time key="changed" at={updatedAt} isExact />],
        ["Id", <code key="id">{id}</code>]
      ]}
    />
  </section>
)

const proofForms: ReadonlyArray<FileForm> = [
  { type: "text/html", extension: "html", label: "Proof to print" },
  { type: "application/json", extension: "json", label: "Proof to check" }
]

/** The buttons for the two forms of the proof of a day. The file is checked by `wcs audit verify`. */
const ProofButtons = ({ day, id }: { readonly id: string; readonly day: string }) => (
  <FileButtons
    forms={proofForms}
    name={`proof-${id}-${day}`}
    read={(type) => fileOf("GET /workers/:id/proof", { params: { id }, query: { asOf: day } }, type)}
  />
)

/** What was known of a worker at the end of a day: status, checks and credentials with their evidence. For print. */
export const WorkerAsOf = ({ id }: { readonly id: string }) => {
  const may = useMay()
  const today = useToday()
  const [{ day = today }, change] = useUrlState()
  const [now] = useState(() => new Date().toISOString())
  const seesCards = may("credential:READ")
  const proves = seesCards && may("complianceCheck:READ") && may("ban:READ") && may("exemption:READ")
  const read = useRead("GET /workers/:id", {
    params: { id },
    query: seesCards ? { asOf: day, include: "credentials" } : { asOf: day }
  })
  return (
    <Screen
      title={`${read.data?.data.identity.displayName ?? "Worker"} on a day`}
      actions={
        proves ? (
          <ProofButtons id={id} day={day} />
        ) : (
          <button type="button" onClick={() => print()}>
            Print
          </button>
        )
      }
    >
      <PrintedLine />
      <div class="filters">
        <TextField
          label="Day"
          type="date"
          max={today}
          value={day}
          onChange={(next) => change({ day: next }, { replaces: true })}
        />
      </div>
      <p>
        As known {day === today ? "on" : "at the end of"} <CalendarDay day={day} />. Read on <Time at={now} isExact />.
      </p>
      {proves ? (
        <p class="quiet">
          An auditor checks the file of “Proof to check” offline, with <code>wcs audit verify</code> and the key that
          the operator of the service gives.
        </p>
      ) : null}
      <Loaded read={read}>
        {({ data }) => (
          <div class="group">
            <About {...data} />
            {seesCards && may("complianceCheck:READ") && may("ban:READ") ? <ChecksThen id={id} asOf={day} /> : null}
            {data.credentials?.length === 0 ? <p class="quiet">No credentials were held.</p> : null}
            {data.credentials?.map((card) => (
              <CardThen key={card.id} card={card} day={day} />
            ))}
          </div>
        )}
      </Loaded>
    </Screen>
  )
}
