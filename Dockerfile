# The daemon in a container, without root: docker build -t hallpass . && docker run --rm -p 127.0.0.1:7777:7777 hallpass
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts && npm pack --pack-destination /tmp

FROM node:22-bookworm-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /tmp/hallpass-*.tgz /tmp/hallpass.tgz
RUN npm install --global --ignore-scripts /tmp/hallpass.tgz && rm /tmp/hallpass.tgz \
  && install --directory --owner=node --group=node --mode=0700 /data
ENV HALLPASS_DATA=/data
USER node
WORKDIR /home/node
VOLUME /data
EXPOSE 7777
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["hallpass", "status"]
ENTRYPOINT ["hallpass"]
# Inside a container every address is its own: whoever publishes the port decides who reaches it, and puts TLS in front of it.
CMD ["serve", "--no-open", "--link", "--host", "0.0.0.0", "--insecure-bind", "--port", "7777"]
