# The tasks of the project. 'make' alone lists them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

DEPLOYMENT ?= sas-grid-lustre
CATALOG ?= service-catalog
DEMO_OPTIONS ?=
DEPLOY_OPTIONS ?=
CONSENT ?=
PREFLIGHT ?= yes
TEST_OPTIONS ?=
LAB_SCENARIOS ?=
RECOVERY_OPTIONS ?=
RUNS ?= 1000
SEED ?=
SIMULATE_OPTIONS ?=
MINUTES ?= 60
SPEED_OPTIONS ?=
SECONDS ?= 600
PLANNER_OPTIONS ?=
CHAOS_OPTIONS ?=
MACHINES ?= sandbox
FACTS_OPTIONS ?=
IMAGES_OPTIONS ?=
LOAD_OPTIONS ?=
CDK := npx --no-install cdk
# What the hosts of the embedded AWS are: MACHINES=vm makes them virtual machines.
HOSTS := SAS_GRID_LOCALCLOUD_MACHINES=$(MACHINES)
# What a deployment may do to hosts that run: CONSENT=restart-hosts.
CONSENTED := $(if $(CONSENT),-c consent=$(CONSENT))
SYNTH = rm -rf cdk.out && $(CDK) synth --quiet -c deployment=$(DEPLOYMENT) $(CONSENTED)
TO_DEPLOY = -c deployment=$(DEPLOYMENT) $(CONSENTED) $(DEPLOY_OPTIONS)
# What a deployment would fail of is told before anything is made. PREFLIGHT=no goes on whatever that says.
FLIGHT := node build/cli/main.js preflight $(DEPLOYMENT) --templates cdk.out

.PHONY: help
help: ## List the tasks
	@grep -hE '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24
	@echo
	@echo "  DEPLOYMENT=<name> picks a reference deployment: $$(basename -s .yaml config/*.yaml | paste -sd' ' -)"
	@echo "  or, for demo and synth, a catalog of products: $$(basename -s .yaml config/catalogs/*.yaml | paste -sd' ' -)"

.PHONY: setup
setup: ## Install what the other tasks need (they call it themselves)
	@bash scripts/setup.sh

.PHONY: demo
demo: setup ## Deploy to the embedded AWS, kill storage servers, verify the recoveries; MACHINES=vm: real machines
	@$(if $(filter vm,$(MACHINES)),bash proof/lab/setup.sh)
	@$(HOSTS) npx --no-install tsx proof/demo/run.ts --deployment $(DEPLOYMENT) $(DEMO_OPTIONS)

.PHONY: test
test: ## Run the checks, but for long ones that .ci/run adds; the last line says 'N passed, N failed'
	@bash scripts/setup.sh --template-checks
	@node scripts/run-tests.mjs $(TEST_OPTIONS)

.PHONY: under-load
under-load: setup ## Run demo and test again and again beside a load; goes on where it stopped: LOAD_OPTIONS="--times 2"
	@npx --no-install tsx scripts/under-load.ts $(LOAD_OPTIONS)

.PHONY: simulate
simulate: setup ## Run the re-attachment on a simulated AWS with faults: RUNS=n SEED=s; writes out/simulation
	@npx --no-install tsx proof/simulation/cli.ts --runs $(RUNS) --seed $(or $(SEED),1) $(SIMULATE_OPTIONS)

# The seed is the first of the million: with another one the results so far would not count.
.PHONY: soak
soak: setup ## Go on for MINUTES=60 with the million runs of the simulation; so far: docs/simulation-soak.json
	@npx --no-install tsx proof/simulation/cli.ts --runs 1000000 --seed 10000000 --minutes $(MINUTES) \
	  --resume docs/simulation-soak.json --report out/simulation/soak-report.json --write-soak docs/simulation.md \
	  $(SIMULATE_OPTIONS)

.PHONY: recovery-speed
recovery-speed: setup ## Measure in simulated time the recovery from one lost server and 128; writes out/recovery-speed
	@npx --no-install tsx proof/simulation/recovery-speed/cli.ts $(SPEED_OPTIONS)

.PHONY: lab
lab: setup ## Prove the host software on virtual machines; writes out/lab/report.json
	@bash proof/lab/setup.sh
	@PYTHONPATH=proof/lab .venv/bin/python -m sas_grid_lab run --room 4 $(LAB_SCENARIOS)

.PHONY: bench
bench: setup ## Measure synthesis, bundles and recovery; writes out/bench/report.json
	@npx --no-install tsx proof/bench/run.ts $(BENCH_OPTIONS)

.PHONY: chaos
chaos: setup ## Harm a deployment for SECONDS=600 with SEED=n, verify that nothing is lost; MACHINES=vm: real machines
ifeq ($(MACHINES),vm)
	@bash proof/lab/setup.sh
	@$(HOSTS) npx --no-install tsx proof/demo/run.ts --harm all --out out/chaos \
	  --deployment $(or $(filter-out sas-grid-lustre,$(DEPLOYMENT)),sas-grid-nfs) $(CHAOS_OPTIONS)
else
	@npx --no-install tsx proof/chaos/run.ts --seconds $(SECONDS) $(if $(SEED),--seed $(SEED)) $(CHAOS_OPTIONS)
endif

.PHONY: planner
planner: setup ## Build the storage planner's page (out/planner/index.html), and open it where there is a desktop
	@npx --no-install tsx cli/planner/build.ts $(PLANNER_OPTIONS)

.PHONY: facts
facts: setup ## List what the code takes for true of AWS and distributions, and what is overdue: FACTS_OPTIONS=--json
	@npx --no-install tsx scripts/facts.ts $(FACTS_OPTIONS)

.PHONY: localcloud
localcloud: setup ## Start the embedded AWS and print the variables that cdk, aws and SDKs need
	@$(HOSTS) PYTHONPATH=proof/localcloud:proof/lab \
	  exec .venv/bin/python -m sas_grid_localcloud start --state out/localcloud

.PHONY: synth
synth: setup ## Synthesize a reference deployment to cdk.out
	@$(SYNTH)

.PHONY: preflight
preflight: setup ## Look whether a deployment can be deployed to the account of your AWS credentials; changes nothing
	@$(SYNTH)
	@$(FLIGHT)

.PHONY: deploy
# The preflight ends with 3 where it could not look at everything: what is not known to fail may be deployed.
# Without rollback: a rollback would take out servers of a tier that has just grown, and cannot shrink volumes. What
# failed is mended and deployed again. Never by 'cdk rollback', nor where cdk offers to roll back first: that deletes
# what the failed deployment made, volumes with data and 'Retain' included (docs/operations/failed-deployment.md).
# The volumes are recorded as soon as they exist, whatever becomes of the grid: the last step deploys what is
# left, which is nothing where the hosts that have the volumes are the grid.
deploy: setup ## Deploy a reference deployment to the account of your AWS credentials; call it again after a failure
	@$(SYNTH)
ifneq ($(PREFLIGHT),no)
	@$(FLIGHT) || [[ $$? -eq 3 ]] || { echo "Nothing was deployed. To deploy all the same: make deploy" \
	  "DEPLOYMENT=$(DEPLOYMENT) PREFLIGHT=no" >&2; exit 1; }
endif
	@[[ ! -e cdk.out/$(DEPLOYMENT)-images.template.json ]] || $(MAKE) --no-print-directory images
	@$(CDK) deploy --no-rollback $(DEPLOYMENT)-storage $(TO_DEPLOY)
	@npx --no-install tsx scripts/record-volumes.ts $(DEPLOYMENT)
	@$(CDK) deploy --no-rollback --all $(TO_DEPLOY)
	@npx --no-install tsx scripts/record-volumes.ts $(DEPLOYMENT) --hosts

.PHONY: images
# With rollback, which the CDK asks for where something is replaced: recipes and components always are, and the stack
# has no data but the mirror, which stays. At the end what was recorded counts for the next build.
images: setup ## Build and record a deployment's images: IMAGES_OPTIONS=--build again, "--adopt storage" the newest
	@$(CDK) deploy --no-rollback $(DEPLOYMENT)-network $(TO_DEPLOY)
	@$(CDK) deploy --exclusively $(DEPLOYMENT)-images $(TO_DEPLOY)
	@node build/cli/main.js images $(DEPLOYMENT) --templates cdk.out $(IMAGES_OPTIONS)
	@$(CDK) deploy --exclusively $(DEPLOYMENT)-images $(TO_DEPLOY)

.PHONY: recovery-time
recovery-time: setup ## Show how long the recoveries of a deployment took, phase by phase
	@npx --no-install tsx scripts/recovery-time.ts --deployment $(DEPLOYMENT) $(RECOVERY_OPTIONS)

.PHONY: deploy-catalog
# The templates are recorded: a later version that would leave data behind, or another one under the same name, is
# refused at synthesis.
deploy-catalog: setup ## Deploy a catalog of products, CATALOG=service-catalog, to the account of your AWS credentials
	@$(CDK) deploy $(CATALOG) -c deployment=$(CATALOG) $(CONSENTED)
	@npx --no-install tsx scripts/record-products.ts $(CATALOG)

.PHONY: package
package: setup ## Build the npm package of the constructs
	@npm pack --silent

.PHONY: format
format: setup ## Format the sources
	@npx --no-install biome check --write .
	@for folder in proof/localcloud proof/lab; do \
	  .venv/bin/ruff format --quiet $$folder && .venv/bin/ruff check --fix --quiet $$folder; done

.PHONY: clean
clean: ## Remove all that the tasks made, except node_modules and .venv*
	@rm -rf build dist out cdk.out .jsii *.tgz
