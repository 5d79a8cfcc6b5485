# syntax=docker/dockerfile:1
# One image for servers, workers and every other program. The words after the name of the image are a program in
# dist/programs and its arguments, such as `production.js server`, `production.js migrate` or `doctor.js acme/shop`.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN node scripts/build.mjs

# The packages of the image. Optional packages are left out: they are the embedded PostgreSQL and the embedded Node, which
# only `npm start` needs. Temporal's SDK has libraries for five platforms, and only the library of this platform stays.
FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name "$(uname -m)-*-linux-*" -exec rm -r {} +

FROM ${NODE_IMAGE}
# git composes and serves, gpg and ssh-keygen verify signatures, bubblewrap isolates checks, procps lists the processes
# that run, and tini reaps processes that a command leaves behind. Versions are not named, because the archive of the
# distribution drops a version after its next security fix.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git gpg openssh-client procps tini \
  && rm -rf /var/lib/apt/lists/* /usr/local/lib/node_modules /opt/yarn-* \
  && rm -f /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
  && groupadd --gid 10001 interlock \
  && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin interlock \
  && install --directory --owner=10001 --group=10001 --mode=0700 \
    /var/lib/interlock /var/cache/interlock /run/interlock
WORKDIR /app
COPY package.json LICENSE ./
COPY migrations ./migrations
COPY schema ./schema
COPY proofs ./proofs
COPY rest-facade/directives.graphql ./rest-facade/directives.graphql
COPY rest-facade/operations ./rest-facade/operations
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist/programs ./dist/programs
COPY --from=build /app/dist/workflow-bundle.js ./dist/workflow-bundle.js
COPY --from=build /app/dist/dashboard ./dist/dashboard
COPY --from=build /app/dist/graphiql ./dist/graphiql
# Programs write only repositories, mirrors and unpacked programs into these folders, and temporary files into /tmp. All
# other folders may be mounted read-only. MALLOC_ARENA_MAX: as in scripts/run.mjs.
ENV NODE_ENV=production \
  MALLOC_ARENA_MAX=2 \
  INTERLOCK_DATA=/var/lib/interlock \
  INTERLOCK_CACHE=/var/cache/interlock
VOLUME ["/var/lib/interlock", "/var/cache/interlock"]
WORKDIR /app/dist/programs
USER 10001:10001
EXPOSE 4000 4001
# A worker answers on port 4001, so it needs PORT=4001.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 4000}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "node", "--enable-source-maps", "--disable-warning=ExperimentalWarning", "--no-concurrent-sparkplug", "--no-maglev-build-code-on-background", "--no-maglev-deopt-data-on-background"]
CMD ["production.js", "server"]
