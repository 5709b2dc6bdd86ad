import type { ComponentChildren } from "preact"
import type { Read } from "../calls/Queries.ts"
import { Problem } from "./Problem.tsx"

/** Shows an answer once it is there, and a skeleton before. The style sheet delays the skeleton by 200 ms. */
export const Loaded = <Answer,>({
  children,
  read
}: {
  readonly read: Read<Answer>
  readonly children: (answer: Answer) => ComponentChildren
}) => (
  <>
    <Problem error={read.error} onRetry={read.refetch} />
    {read.data === undefined ? (
      read.error === null ? (
        <div class="skeleton" role="status">
          <span class="unseen">Loading</span>
        </div>
      ) : null
    ) : (
      <div aria-busy={read.isPlaceholderData}>{children(read.data)}</div>
    )}
  </>
)
