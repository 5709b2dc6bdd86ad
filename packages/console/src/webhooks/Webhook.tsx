import { useState } from "preact/hooks"
import type { Data } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { type ListKind, ListSection } from "../listing/ListScreen.tsx"
import { Deletion } from "../records/Deletion.tsx"
import { RecordId } from "../records/RecordId.tsx"
import { SecretOnce } from "../records/SecretOnce.tsx"
import { Screen } from "../shell/Screen.tsx"
import { wordsOf } from "../widgets/Badge.tsx"
import { Button } from "../widgets/Button.tsx"
import { Confirmation } from "../widgets/Confirmation.tsx"
import { Facts } from "../widgets/Facts.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Opener } from "../widgets/Opener.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { Time } from "../widgets/Time.tsx"
import { deliveries } from "./Deliveries.tsx"
import { EditWebhook } from "./EditWebhook.tsx"
import { Redrive } from "./Redrive.tsx"
import { countWords, failureWords, HealthBadge } from "./Webhooks.tsx"

const list: ListKind<"GET /webhooks/:id/deliveries"> = {
  ...deliveries,
  list: "GET /webhooks/:id/deliveries",
  everySeconds: 10
}

type WebhookData = Data<"GET /webhooks/:id">

const About = (webhook: WebhookData) => (
  <section class="block">
    <h2>About</h2>
    <Facts
      facts={[
        ["Health", <HealthBadge key="health" {...webhook} />],
        ["Address", <code key="url">{webhook.url}</code>],
        ["Events", webhook.events.join(", ")],
        ["Last success", <Time key="success" at={webhook.delivery.lastSuccessAt} />],
        [
          "Last failure",
          <>
            <Time at={webhook.delivery.lastFailureAt} /> {failureWords(webhook.delivery.lastFailure)}
          </>
        ],
        ["Waiting", countWords(webhook.delivery.waiting)],
        ["Given up", countWords(webhook.delivery.exhausted)],
        ["Signing secret", `…${webhook.delivery.signingSecretLastFour}`],
        [
          "Old secret signs until",
          webhook.delivery.previousSecretExpiresAt === null ? undefined : (
            <Time at={webhook.delivery.previousSecretExpiresAt} />
          )
        ],
        ["Id", <RecordId key="id" id={webhook.id} />]
      ]}
    />
  </section>
)

type Attempt = Data<"POST /webhooks/:id/ping">["attempts"][number]

const failureOf = (attempt: Attempt | undefined): string => {
  if (attempt === undefined) return "no attempt was made yet"
  return attempt.fault === null ? `the receiver answered ${attempt.responseStatus}` : wordsOf(attempt.fault)
}

/** Sends a test event, and says whether the receiver took it. */
const Test = ({ id }: { readonly id: string }) => {
  const ping = useChange("POST /webhooks/:id/ping")
  const attempt = ping.data?.data.attempts.at(-1)
  return (
    <>
      <Button isBusy={ping.isPending} onClick={() => ping.mutate({ params: { id } })}>
        {ping.isPending ? "Sending…" : "Send a test event"}
      </Button>
      <Problem error={ping.error} />
      {ping.data === undefined ? null : (
        <p class={ping.data.data.state === "DELIVERED" ? "notice done" : "notice"} role="status">
          {ping.data.data.state === "DELIVERED"
            ? `The receiver took the test event in ${attempt?.durationMillis} ms.`
            : `The test event was not delivered: ${failureOf(attempt)}.`}
        </p>
      )}
    </>
  )
}

/** Makes a new signing secret. The old one signs too until the overlap ends. */
const Rotation = ({
  id,
  name,
  onClose
}: {
  readonly id: string
  readonly name: string
  readonly onClose: () => void
}) => {
  const rotate = useChange("POST /webhooks/:id/rotate")
  const made = rotate.data?.data
  if (made !== undefined) {
    return (
      <SecretOnce
        name={`New signing secret of ${name}`}
        secret={made.signingSecret}
        hint={`Both secrets sign until ${made.delivery.previousSecretExpiresAt ?? "the overlap ends"}.`}
        onClose={() => {
          rotate.reset() // the secret leaves the memory of the page
          onClose()
        }}
      />
    )
  }
  return (
    <Confirmation
      title={`Rotate the secret of ${name}?`}
      action="Rotate"
      change={rotate}
      onClose={onClose}
      onConfirm={() => rotate.mutate({ params: { id } })}
    >
      <p>Deliveries carry signatures of both secrets for a while. Give the new one to the receiver in that time.</p>
    </Confirmation>
  )
}

const Actions = ({ onEdit, webhook }: { readonly webhook: WebhookData; readonly onEdit: () => void }) => {
  const may = useMay()
  const enable = useChange("POST /webhooks/:id/enable")
  const disable = useChange("POST /webhooks/:id/disable")
  const params = { id: webhook.id }
  const toggle = webhook.status === "ACTIVE" ? disable : enable
  return (
    <>
      {may("webhook:UPDATE") ? (
        <>
          <Test key={webhook.url} id={webhook.id} />
          <Opener class="" dialog={(close) => <Redrive id={webhook.id} onClose={close} />}>
            Send deliveries again
          </Opener>
          <Opener class="" dialog={(close) => <Rotation id={webhook.id} name={webhook.name} onClose={close} />}>
            Rotate the secret
          </Opener>
          <button type="button" onClick={onEdit}>
            Edit
          </button>
          <Button isBusy={toggle.isPending} onClick={() => toggle.mutate({ params })}>
            {webhook.status === "ACTIVE" ? "Disable" : "Enable"}
          </Button>
          <Problem error={toggle.error} />
        </>
      ) : null}
      <Opener
        needs="webhook:DELETE"
        class="danger"
        dialog={(close) => (
          <Deletion list="webhooks" id={webhook.id} name={webhook.name} onClose={close}>
            <p>Nothing more is sent. Deliveries in flight may still arrive.</p>
          </Deletion>
        )}
      >
        Delete
      </Opener>
    </>
  )
}

/** A webhook: health, secret, deliveries and their attempts. */
export const Webhook = ({ id }: { readonly id: string }) => {
  const read = useRead("GET /webhooks/:id", { params: { id } }, { everySeconds: 10 })
  const [isEdited, setIsEdited] = useState(false)
  const webhook = read.data?.data
  return (
    <Screen
      title={webhook?.name ?? "Webhook"}
      actions={webhook === undefined ? null : <Actions webhook={webhook} onEdit={() => setIsEdited(true)} />}
    >
      <Loaded read={read}>
        {({ data }) => (
          <div class="group">
            <About {...data} />
            <ListSection kind={list} params={{ id }} />
          </div>
        )}
      </Loaded>
      {read.data !== undefined && isEdited ? (
        <EditWebhook answer={read.data} onClose={() => setIsEdited(false)} />
      ) : null}
    </Screen>
  )
}
