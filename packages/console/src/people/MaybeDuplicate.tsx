import { Screen } from "../shell/Screen.tsx"

const workerId = /(wkr_\w+)/

/** The warnings that name another worker, who may be the same person. */
export const duplicatesIn = (warnings: ReadonlyArray<string> | undefined): ReadonlyArray<string> =>
  (warnings ?? []).filter((warning) => workerId.test(warning))

/** A text whose ids of workers are links. */
const WithLinks = ({ text }: { readonly text: string }) => (
  <>
    {text.split(workerId).map((part) =>
      workerId.test(part) ? (
        <a key={part} href={`/console/workers/${part}`}>
          another worker
        </a>
      ) : (
        part
      )
    )}
  </>
)

/** The record was added, but its person may exist already. */
export const MaybeDuplicate = ({
  href,
  title,
  warnings
}: {
  readonly title: string
  /** The address of what was added. */
  readonly href: string
  readonly warnings: ReadonlyArray<string>
}) => (
  <Screen title={title}>
    <div class="notice" role="status">
      {warnings.map((warning) => (
        <p key={warning}>
          <WithLinks text={warning} />.
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
