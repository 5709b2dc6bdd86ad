/**
 * An engine that answers may still be unable to run a container: user namespaces, control groups or rights can be
 * missing.
 */
import { type ContainerEngine, reasonOf, useForTestcontainers } from "@wcs/store-suite/postgres/ContainerEngine"
import { Network, Wait } from "testcontainers"
import { ComposedContainer } from "./ComposedContainer.ts"

const port = 8080
const serve = `require("node:http").createServer((_, response) => response.end()).listen(${port})`
const fetchByName = `fetch("http://probe:${port}").then(() => process.exit(0), () => process.exit(1))`
const startMillisMax = 40_000
const answerMillisMax = 10_000

/**
 * The reason why the engine cannot run containers as the tests need; undefined if it can. Runs one container with a
 * published port on its own network. Commands in the container must reach it by name, and must reach the npm registry.
 */
export const unusable = async (engine: ContainerEngine, base: string): Promise<string | undefined> => {
  try {
    await useForTestcontainers(engine)
    await using network = await new Network().start()
    await using container = await new ComposedContainer(base)
      .withCommand(["node", "-e", serve])
      .withExposedPorts(port)
      .joining(network, "probe")
      .withWaitStrategy(Wait.forSuccessfulCommand(`node -e '${fetchByName}'`))
      .withStartupTimeout(startMillisMax)
      .start()
    const published = `http://127.0.0.1:${container.getMappedPort(port)}`
    await fetch(published, { signal: AbortSignal.timeout(answerMillisMax) }).catch(() => {
      throw new Error("the published port of a container does not answer")
    })
    const limits = ["--fetch-retries=0", `--fetch-timeout=${answerMillisMax}`]
    const { exitCode } = await container.exec(["npm", "view", "pnpm", "version", ...limits])
    if (exitCode !== 0) throw new Error("a container does not reach the npm registry, which image builds need")
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}
