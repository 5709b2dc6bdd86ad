import { type ContainerEngine, type Deadlines, findContainerEngine, missing, reasonOf } from "./ContainerEngine.ts"
import { startContainerPostgres } from "./ContainerPostgres.ts"
import { type Engine, startEngine } from "./Engine.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** The source of a test run's Postgres, and the sentence that reports it. */
export type Source =
  | { readonly type: "given"; readonly url: string; readonly told: string }
  | {
      readonly type: "container"
      readonly engine: ContainerEngine
      readonly image: string
      /** Fails if the container cannot be started, instead of starting the embedded Postgres. */
      readonly isRequired: boolean
      readonly told: string
    }
  | { readonly type: "embedded"; readonly told: string }

/** The image that `apps/wcs/deploy/compose.yaml` names. */
export const usualImage = "postgres:18.4"

const wishes = ["auto", "container", "embedded"] as const

const embedded = (reason: string): Source => ({
  type: "embedded",
  told: `Postgres for the tests: the embedded one (${reason})`
})

/**
 * `DATABASE_URL`, else a container, else the embedded Postgres. `WCS_TEST_POSTGRES` chooses between the last two:
 * `container` fails without one. `WCS_TEST_POSTGRES_IMAGE` names the image.
 */
export const sourceOf = async (environment: Environment, deadlines?: Deadlines): Promise<Source> => {
  const given = environment["DATABASE_URL"] ?? ""
  if (given !== "")
    return { type: "given", url: given, told: "Postgres for the tests: the one that DATABASE_URL names" }
  const wish = wishes.find((name) => name === (environment["WCS_TEST_POSTGRES"] ?? "auto"))
  if (wish === undefined) throw new Error(`WCS_TEST_POSTGRES must be one of ${wishes.join(", ")}`)
  if (wish === "embedded") return embedded("set by WCS_TEST_POSTGRES")
  const image = environment["WCS_TEST_POSTGRES_IMAGE"] ?? usualImage
  const engine = await findContainerEngine(environment, deadlines)
  const failure = engine === undefined ? "no container engine answers" : await cannotProvide(engine, image, deadlines)
  if (engine !== undefined && failure === undefined) {
    return {
      type: "container",
      engine,
      image,
      isRequired: wish === "container",
      told: `Postgres for the tests: ${image} in a container of ${engine.name}`
    }
  }
  if (wish === "container") throw new Error(`WCS_TEST_POSTGRES is container, but ${failure}`)
  return embedded(String(failure))
}

const cannotProvide = async (engine: ContainerEngine, image: string, deadlines: Deadlines | undefined) => {
  const reason = await missing(engine, image, deadlines)
  return reason === undefined ? undefined : `${engine.name} cannot provide the image ${image}: ${reason}`
}

type Started = Pick<Engine, "stop" | "url">

/** How each kind of Postgres is started. */
export interface Starts {
  readonly container: (engine: ContainerEngine, image: string) => Promise<Started>
  readonly embedded: () => Promise<Started>
}

const usualStarts: Starts = { container: startContainerPostgres, embedded: startEngine }

/** Starts the Postgres of a source and prints which one; a given database is not stopped. */
export const startTestPostgres = async (
  source: Source,
  print: (line: string) => void,
  starts: Starts = usualStarts
): Promise<Started> => {
  if (source.type === "container") {
    try {
      const started = await starts.container(source.engine, source.image)
      print(source.told)
      return started
    } catch (error) {
      if (source.isRequired) throw error
      print(embedded(`${source.engine.name} cannot start ${source.image}: ${reasonOf(error)}`).told)
      return starts.embedded()
    }
  }
  print(source.told)
  return source.type === "given" ? { url: source.url, stop: () => Promise.resolve() } : starts.embedded()
}
