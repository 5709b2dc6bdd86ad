import { keepPreviousData, QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/preact-query"
import { call } from "./Call.ts"
import type { CallName, Input, Output } from "./Contract.ts"
import { isLoggedOut, Refusal } from "./Refusal.ts"

/** An answer is shown again without another call for so long. */
const freshMillis = 15_000
const retriesMax = 2

/** Only a lost or overloaded server is asked again. It may say how long to wait, of which the person is told. */
const mayRetry = (attempts: number, error: unknown): boolean =>
  attempts < retriesMax && error instanceof Refusal && (error.status === 0 || error.status >= 502)

/** The answers that the console remembers. `onLoggedOut` is called when there is no session, or none any more. */
export const makeQueryClient = (onLoggedOut: (wasLoggedIn: boolean) => void): QueryClient => {
  const client = new QueryClient({
    defaultOptions: {
      queries: { staleTime: freshMillis, gcTime: 5 * 60_000, retry: mayRetry, retryDelay: (n) => 500 * 2 ** n },
      mutations: { retry: false }
    }
  })
  const watch = (error: unknown) => {
    if (isLoggedOut(error)) onLoggedOut(client.getQueryData(["GET /me", {}]) !== undefined)
  }
  client.getQueryCache().subscribe((event) => {
    if (event.type === "updated" && event.action.type === "error") watch(event.action.error)
  })
  client.getMutationCache().subscribe((event) => {
    if (event.type === "updated" && event.action.type === "error") watch(event.action.error)
  })
  return client
}

/** The state of a read. */
export interface Read<Answer> {
  /** The answer, or while the next one loads, the one before it. */
  readonly data: Answer | undefined
  readonly error: Refusal | null
  /** Whether `data` belongs to the read before this one. */
  readonly isPlaceholderData: boolean
  readonly refetch: () => unknown
}

/** Reads an answer and keeps it up to date. `isWanted` false waits. */
export const useRead = <Name extends CallName & `GET ${string}`>(
  name: Name,
  input: Input<Name>,
  { everySeconds, isWanted = true }: { readonly isWanted?: boolean; readonly everySeconds?: number } = {}
): Read<Output<Name>> =>
  useQuery<unknown, Refusal>({
    queryKey: [name, input],
    queryFn: () => call(name, input),
    enabled: isWanted,
    placeholderData: keepPreviousData,
    ...(everySeconds === undefined ? {} : { refetchInterval: everySeconds * 1000 })
  }) as Read<Output<Name>>

/**
 * Makes a change. Afterwards every answer on the screen is read again, because one change can touch many records. So is
 * it after a conflict (409), because then the screen shows what is no longer so.
 */
export const useChange = <Name extends CallName>(name: Name) => {
  const client = useQueryClient()
  return useMutation<Output<Name>, Refusal, Input<Name>>({
    mutationFn: (input) => call(name, input),
    onSuccess: () => client.invalidateQueries(),
    onError: ({ status }) => (status === 409 ? client.invalidateQueries() : undefined)
  })
}
