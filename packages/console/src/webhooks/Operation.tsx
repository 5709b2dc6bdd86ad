import type { Data } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { Table } from "../listing/Table.tsx"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { ScheduleState } from "../sources/Schedule.tsx"
import { Badge, type Tone, wordsOf } from "../widgets/Badge.tsx"
import { Facts } from "../widgets/Facts.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { CalendarDay, Time } from "../widgets/Time.tsx"
import { countWords } from "./Webhooks.tsx"

type OperationData = Data<"GET /operation">
type Secret = OperationData["secrets"][number]

const ages: Readonly<Record<Secret["age"], Tone>> = { OK: "good", OLD: "wait", EXPIRES_SOON: "wait", EXPIRED: "bad" }

const kinds: Readonly<Record<Secret["kind"], readonly [words: string, screen: (id: string) => string]>> = {
  WEBHOOK_SECRET: ["signing secret of a webhook", (id) => `webhooks/${id}`],
  API_CLIENT: ["secret of API credentials", () => "clients"],
  CERTIFICATE: ["certificate of single sign-on", (id) => `single-sign-on/${id}`]
}

const Summary = ({ deadLetters, failingWebhooks, lastSeal, version, warnedThrough }: OperationData) => (
  <section class="block">
    <h2>State</h2>
    <Facts
      facts={[
        [
          "Webhooks that fail",
          failingWebhooks === 0 ? "none" : <a href="/console/webhooks?failing=true">{failingWebhooks}</a>
        ],
        [
          "Events that could not be sent",
          <>
            {countWords(deadLetters.retrying)} retried, {countWords(deadLetters.dead)} given up
            {deadLetters.retrying + deadLetters.dead === 0 ? null : (
              <p class="quiet">
                The operator of the service lists and retries them: <code>wcs admin list-dead-letters</code>.
              </p>
            )}
          </>
        ],
        [
          "Newest seal of the audit log",
          lastSeal === null ? (
            "none yet"
          ) : (
            <>
              number {lastSeal.number}, <Time at={lastSeal.sealedAt} />
            </>
          )
        ],
        ["Warned of cards that expire through", warnedThrough === null ? "never" : <CalendarDay day={warnedThrough} />],
        ["Version of the server", version]
      ]}
    />
  </section>
)

const Queues = ({ queues }: Pick<OperationData, "queues">) => (
  <section class="block">
    <h2>Queues</h2>
    <Table
      caption="Work that waits"
      rows={queues}
      keyOf={({ queue }) => queue}
      columns={[
        { heading: "Queue", cell: ({ queue }) => queue },
        { heading: "Waiting", cell: ({ waiting }) => countWords(waiting) },
        {
          heading: "Late since",
          cell: ({ since }) => (since === null ? <span class="quiet">not late</span> : <Time at={since} />)
        }
      ]}
    />
  </section>
)

const Secrets = ({ leftOut, secrets }: Pick<OperationData, "leftOut" | "secrets">) => (
  <section class="block">
    <h2>Secrets and certificates</h2>
    {secrets.length === 0 ? (
      <p class="quiet">None.</p>
    ) : (
      <Table
        caption="Secrets and certificates"
        rows={secrets.map((secret, index) => ({ ...secret, index }))}
        keyOf={({ index }) => String(index)}
        columns={[
          { heading: "State", cell: ({ age }) => <Badge value={age} tone={ages[age]} /> },
          { heading: "Kind", cell: ({ kind }) => kinds[kind][0] },
          { heading: "Name", cell: ({ id, kind, name }) => <a href={`/console/${kinds[kind][1](id)}`}>{name}</a> },
          {
            heading: "Made",
            cell: ({ since }) => (since === null ? <span class="quiet">unknown</span> : <Time at={since} />)
          },
          { heading: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
          {
            heading: "Previous one signs until",
            cell: ({ overlapUntil }) =>
              overlapUntil === null ? <span class="quiet">none</span> : <Time at={overlapUntil} />
          }
        ]}
      />
    )}
    {leftOut.length === 0 ? null : (
      <p class="quiet">Left out, because you may not read them: {leftOut.map((type) => wordsOf(type)).join(", ")}.</p>
    )}
  </section>
)

/** The scheduled verifications of each source. */
const Schedules = () => {
  const read = useRead("GET /monitoring", {})
  return (
    <section class="block">
      <h2>Scheduled verifications</h2>
      <Loaded read={read}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="quiet">None.</p>
          ) : (
            <Table
              caption="Scheduled verifications"
              rows={data}
              keyOf={({ credentialTypes, sourceId }) => sourceId ?? credentialTypes.join(" ")}
              columns={[
                {
                  heading: "Source",
                  cell: ({ credentialTypes, sourceId }) =>
                    sourceId === null ? (
                      "register of the service"
                    ) : (
                      <a href={`/console/verification-sources/${sourceId}`}>{credentialTypes.join(", ")}</a>
                    )
                },
                { heading: "State", cell: (schedule) => <ScheduleState schedule={schedule} /> },
                { heading: "Looked at", cell: ({ lookedAt }) => <Time at={lookedAt} /> }
              ]}
            />
          )
        }
      </Loaded>
    </section>
  )
}

/** Whether the service does its work for the organization, and which secrets need care. */
export const Operation = () => {
  const may = useMay()
  const read = useRead("GET /operation", {}, { everySeconds: 30 })
  return (
    <Screen title="Operation">
      <PrintedLine />
      <Loaded read={read}>
        {({ data }) => (
          <div class="group">
            <Summary {...data} />
            <Queues {...data} />
            <Secrets {...data} />
          </div>
        )}
      </Loaded>
      {may("verificationSource:READ") ? <Schedules /> : null}
    </Screen>
  )
}
