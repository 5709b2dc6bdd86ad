import "reflect-metadata"
import { ValidationPipe } from "@nestjs/common"
import { NestFactory } from "@nestjs/core"
import type { NestExpressApplication } from "@nestjs/platform-express"
import { databaseOf } from "../../data/DatabaseUrl.ts"
import type { ServerOptions, Side } from "../../Side.ts"
import { AccessService } from "./AccessService.ts"
import { AppModule } from "./AppModule.ts"
import { EnvelopeInterceptor } from "./EnvelopeInterceptor.ts"
import { identify } from "./Identify.ts"
import { RefusalFilter } from "./RefusalFilter.ts"
import { InvalidArgument } from "./Refused.ts"

/** A typical service with NestJS on its default platform, and Drizzle on Postgres. */
export const start = async ({ directory, limits }: ServerOptions): Promise<Side> => {
  const url = databaseOf(directory)
  if (url === null) throw new Error("the NestJS peer needs a store on Postgres")
  const app = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(url, limits), {
    logger: ["error", "warn"],
    forceCloseConnections: true,
    abortOnError: false
  })
  const { gate } = app.get(AccessService, { strict: false })
  app.disable("x-powered-by")
  app.disable("etag")
  app.use(identify(gate))
  app.useBodyParser("json", { limit: "1mb" })
  app.useGlobalPipes(
    new ValidationPipe({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      exceptionFactory: (errors) => new InvalidArgument(`${errors[0]?.property}: is invalid.`)
    })
  )
  app.useGlobalInterceptors(new EnvelopeInterceptor())
  app.useGlobalFilters(new RefusalFilter())
  await app.listen(0, "127.0.0.1")
  const server = app.getHttpServer()
  server.keepAliveTimeout = 65_000
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    revoke: (tenantId, tokenId) => gate.revoke(tenantId, tokenId),
    close: () => app.close()
  }
}
