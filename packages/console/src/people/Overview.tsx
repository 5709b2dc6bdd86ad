import { useMay } from "../calls/Me.ts"
import { type Read, useRead } from "../calls/Queries.ts"
import { AnyFilter } from "../listing/Filters.tsx"
import { unitFilter } from "../records/Unit.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { expiringWithin } from "../widgets/Days.ts"
import { Problem } from "../widgets/Problem.tsx"
import { useToday } from "../widgets/Time.tsx"
import { useCheckNames, useMayJudge } from "./CheckResult.tsx"

/** A count that links to its list. */
const Count = ({
  href,
  read,
  words
}: {
  readonly words: string
  readonly href: string
  readonly read: Read<{ readonly meta: { readonly total?: number } }>
}) => {
  const total = read.data?.meta.total
  return (
    <li class="card">
      <p class="number">{total === undefined ? "…" : total >= 10_000 ? "10,000+" : total.toLocaleString()}</p>
      <p>
        <a href={href}>{words}</a>
      </p>
      <Problem error={read.error} onRetry={read.refetch} />
    </li>
  )
}

const counted = { pageSize: "1", includeTotal: "true" }

interface OfUnit {
  /** The unit whose people are counted; all people if empty. */
  readonly unit: string
}

/** The part of an address that keeps the unit. */
const keeping = (unit: string) => (unit === "" ? "" : `&unit=${unit}`)

const Eligible = ({ eligibility, unit, words }: OfUnit & { readonly eligibility: string; readonly words: string }) => (
  <Count
    words={words}
    href={`/console/credentials?eligibility=${eligibility}${keeping(unit)}`}
    read={useRead("GET /credentials", { query: { ...counted, eligibility, unit } })}
  />
)

/** People by the result of all checks. */
const People = ({ result, unit, words }: OfUnit & { readonly result: string; readonly words: string }) => (
  <Count
    words={words}
    href={`/console/matrix?result=${result}${keeping(unit)}`}
    read={useRead("GET /workers", { query: { ...counted, compliance: result, unit } })}
  />
)

/** People who fail a check. */
const Failing = ({ id, name, unit }: OfUnit & { readonly id: string; readonly name: string }) => (
  <Count
    words={`People who fail: ${name}`}
    href={`/console/matrix?result=FAIL&check=${id}${keeping(unit)}`}
    read={useRead("GET /compliance-matrix", { query: { ...counted, checkId: id, result: "FAIL", unit } })}
  />
)

/** The checks that the overview counts: the oldest. */
const checksMax = 10

/** The way to the checks, for those who may add one. */
const NoChecks = () => (
  <p>
    No compliance check is enabled, so nobody is judged.{" "}
    {useMay()("complianceCheck:CREATE") ? (
      <a href="/console/compliance-checks">Add a compliance check</a>
    ) : (
      "Ask an administrator to add one."
    )}
  </p>
)

const WhoMayWork = () => {
  const names = useCheckNames()
  const [{ unit = "" }] = useUrlState()
  return names?.size === 0 ? (
    <NoChecks />
  ) : (
    <ul class="cards">
      <People result="FAIL" words="People who may not work" unit={unit} />
      <People result="PASS" words="People who may work" unit={unit} />
      {[...(names ?? [])].slice(0, checksMax).map(([id, name]) => (
        <Failing key={id} id={id} name={name} unit={unit} />
      ))}
    </ul>
  )
}

/** A few can have ended a moment ago: the list compares each with its card, and the count is right seconds later. */
const OpenTasks = ({ unit }: OfUnit) => (
  <Count
    words="Tasks that wait for a person"
    href={`/console/tasks${unit === "" ? "" : `?unit=${unit}`}`}
    read={useRead("GET /tasks", { query: { ...counted, unit } })}
  />
)

const Expired = ({ unit }: OfUnit) => (
  <Count
    words="Credentials that have expired"
    href={`/console/expiring?days=expired${keeping(unit)}`}
    read={useRead("GET /credentials", { query: { ...counted, expiringBefore: useToday(), unit } })}
  />
)

const Expiring = ({ days, unit }: OfUnit & { readonly days: number }) => {
  const query = { ...counted, ...expiringWithin(days, useToday()), unit }
  return (
    <Count
      words={`Credentials that expire within ${days} days`}
      href={`/console/expiring?days=${days}${keeping(unit)}`}
      read={useRead("GET /credentials", { query })}
    />
  )
}

/** Webhooks that match a filter. */
const Webhooks = ({ filter, value, words }: Record<"filter" | "value" | "words", string>) => (
  <Count
    words={words}
    href={`/console/webhooks?${filter}=${value}`}
    read={useRead("GET /webhooks", { query: { ...counted, [filter]: value } })}
  />
)

/** The figures that an officer looks at first. */
export const Overview = () => {
  const may = useMay()
  const [{ unit = "" }] = useUrlState()
  return (
    <Screen title="Overview">
      <div class="filters">
        <AnyFilter {...unitFilter} />
      </div>
      {useMayJudge() ? (
        <section class="group">
          <h2>People</h2>
          <WhoMayWork />
        </section>
      ) : null}
      {may("credential:READ") ? (
        <section class="group">
          <h2>Credentials to work on</h2>
          <ul class="cards">
            {may("task:READ") ? <OpenTasks unit={unit} /> : null}
            <Eligible eligibility="REVIEW_REQUIRED" words="Credentials that say: review required" unit={unit} />
            <Eligible eligibility="ERROR" words="Credentials whose register gave no answer" unit={unit} />
            <Expired unit={unit} />
            {[30, 60, 90].map((days) => (
              <Expiring key={days} days={days} unit={unit} />
            ))}
          </ul>
        </section>
      ) : null}
      {may("webhook:READ") ? (
        <section class="group">
          <h2>Webhooks</h2>
          <ul class="cards">
            <Webhooks filter="failing" value="true" words="Active webhooks that fail" />
            <Webhooks filter="status" value="AUTO_DISABLED" words="Webhooks disabled after failures" />
            <Webhooks filter="status" value="ACTIVE" words="Active webhooks" />
          </ul>
        </section>
      ) : null}
    </Screen>
  )
}
