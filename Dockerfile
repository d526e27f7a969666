# The image of Konverge: Node and the built program, without a shell or a package manager, run by an unprivileged user.
#
#   docker build --tag konverge .
#   docker run --read-only --volume ./konverge.yaml:/etc/konverge/konverge.yaml:ro --volume konverge:/var/lib/konverge konverge
#
# What is mounted has to be readable for user 65532: the configuration, and a clone with its .git where one is followed.
# config/compose.yaml has a complete example.
ARG NODE=22

FROM node:${NODE}-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-fund --no-audit
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN npm run build
RUN npm ci --omit=dev --no-fund --no-audit
# An image without a shell can make no folder: this one is copied, empty, for the user nonroot (65532).
RUN mkdir /empty

FROM gcr.io/distroless/nodejs${NODE}-debian12:nonroot
WORKDIR /app
COPY LICENSE package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
# The only folder that is written to: what was fetched from Git. Losing it costs a fetch.
COPY --from=build --chown=65532:65532 /empty /var/lib/konverge
# Relative paths, konverge.yaml among them, start here.
WORKDIR /etc/konverge
USER 65532:65532
ENV NODE_ENV=production
VOLUME /var/lib/konverge
EXPOSE 8080
# Where server.listen has another port than 8080, set KONVERGE_HEALTH_URL.
HEALTHCHECK --interval=10s --timeout=5s --start-period=15s --retries=3 \
  CMD ["/nodejs/bin/node", "-e", "fetch(process.env.KONVERGE_HEALTH_URL ?? 'http://127.0.0.1:8080/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/nodejs/bin/node", "/app/dist/main.js"]
CMD ["run", "--set", "storage.path=/var/lib/konverge"]
