import { Screen } from "../shell/Screen.tsx"

const namedWorker = /(wkr_\w+)/

/** The warnings that name another worker, who may be the same person. */
export const duplicatesIn = (warnings: ReadonlyArray<string> | undefined): ReadonlyArray<string> =>
  (warnings ?? []).filter((warning) => namedWorker.test(warning))

/** A text whose ids of workers are links. */
const WithLinks = ({ text }: { readonly text: string }) => (
  <>
    {text.split(namedWorker).map((part, index) =>
      namedWorker.test(part) ? (
        <a key={part} href={`/console/workers/${part}`}>
          {index === 1 && text.startsWith(part) ? "Another worker" : "another worker"}
        </a>
      ) : (
        part
      )
    )}
  </>
)

/** A link to both workers side by side, where they can be merged. The older one stays. */
const CompareLink = ({ id, otherId }: { readonly id: string | null; readonly otherId: string | undefined }) =>
  id === null || otherId === undefined ? null : (
    <a class="button small" href={`/console/workers/${otherId}/merge?from=${id}`}>
      Compare both
    </a>
  )

/** The record was added, but its person may exist already. */
export const MaybeDuplicate = ({
  href,
  title,
  warnings,
  workerId
}: {
  readonly title: string
  /** The address of what was added. */
  readonly href: string
  readonly warnings: ReadonlyArray<string>
  /** The worker that was added, or that has what was added. */
  readonly workerId: string | null
}) => (
  <Screen title={title}>
    <div class="notice" role="status">
      {warnings.map((warning) => (
        <p key={warning}>
          <WithLinks text={warning} />. <CompareLink id={workerId} otherId={namedWorker.exec(warning)?.[0]} />
        </p>
      ))}
    </div>
    <div class="actions">
      <a class="button" href={href}>
        Continue with the new one
      </a>
    </div>
  </Screen>
)
